import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import { AllowCommand } from "@/ui/allow-command";
import { Confirm } from "@/ui/confirm";

import { landing } from "../../api";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure, Steps } from "./progress";

/** Pushes the session and opens a pull request with the configured command. */
export function PullRequestDialog({ session, onClose, onShow }: DialogProps) {
  const [title, setTitle] = useState("");
  const [body, setBody] = useState("");
  const work = useWork({
    run: (allowed: boolean, onStep) => landing.pullRequest(session.id, { title: orNull(title), body: orNull(body), allow_commands: allowed }, onStep),
    done: (answer) => ({ text: answer.script_run.state === "passed" ? "The pull request is open" : `The command ended: ${answer.script_run.state.replaceAll("_", " ")}` }),
    failed: "No pull request was opened",
    onDone: (answer) => {
      onClose();
      onShow({ tab: "scripts", run: answer.script_run.id });
    },
  });
  if (work.notAllowed) return <AllowCommand refused={{ title: "Open a pull request", message: work.notAllowed.message, again: () => work.start(true) }} onClose={work.reset} />;
  return (
    <Confirm
      title="Open a pull request"
      isHarmless
      does={["Pushes the session's branch to its remote.", "Runs the command in commands.pr, which opens the pull request."]}
      keeps={["Branch and worktree as they are."]}
      undo={null}
      action="Open"
      isBusy={work.isPending}
      onConfirm={() => work.start(false)}
      onClose={onClose}
    >
      <TextInput label="Title" placeholder={session.name} data-autofocus value={title} onChange={(event) => setTitle(event.currentTarget.value)} />
      <Textarea label="Text" placeholder="Leave empty to use the prompt, the commits and the issue" autosize minRows={3} maxRows={10} value={body} onChange={(event) => setBody(event.currentTarget.value)} />
      <Steps steps={work.steps} />
      <Failure error={work.error} />
    </Confirm>
  );
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
