import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";

import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";

import { landing } from "../../api";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure, Steps } from "./progress";

export function PushDialog({ session, detail, onClose }: DialogProps) {
  const [remote, setRemote] = useState("");
  const [isForced, setForced] = useState(false);
  const work = useWork({
    run: (_: undefined, onStep) => landing.push(session.id, { remote: remote.trim() === "" ? null : remote.trim(), force_with_lease: isForced }, onStep),
    done: (answer) => ({ text: `${answer.branch} is on ${answer.remote} at ${answer.commit.slice(0, 7)}` }),
    failed: "Nothing was pushed",
    onDone: onClose,
  });
  const { pushed } = detail;
  return (
    <Confirm
      title="Push the branch"
      isHarmless={!isForced}
      does={[`Sends ${session.branch_name} to a remote.`, ...(pushed == null ? [] : [`${pushed.remote} has it at ${pushed.commit.slice(0, 7)}: ${plural(pushed.ahead, "commit")} to send, ${pushed.behind} only there.`])]}
      keeps={[isForced ? "Commits on the remote that this session never had: the push is refused if there are any." : "Commits on the remote: the push is refused if the session lacks any of them."]}
      undo={null}
      action="Push"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <TextInput label="Remote" placeholder="origin, or the only one" value={remote} onChange={(event) => setRemote(event.currentTarget.value)} />
      <Checkbox label="Replace the commits on the remote, if they are the ones this session had" checked={isForced} onChange={(event) => setForced(event.currentTarget.checked)} />
      <Steps steps={work.steps} />
      <Failure error={work.error} />
    </Confirm>
  );
}
