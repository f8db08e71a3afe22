import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";

import { Confirm } from "@/ui/confirm";

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
      does={[`Sends ${session.branch_name} to a remote.`, ...(pushed == null ? [] : [`There, ${pushed.remote} has it at ${pushed.commit.slice(0, 7)}: ${pushed.ahead} to send, ${pushed.behind} only there.`])]}
      keeps={[isForced ? "Commits there that this session did not have: then it is refused." : "Commits there: it is refused if some are only there."]}
      undo={null}
      action="Push"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <TextInput label="Remote" placeholder="origin, or the only one" value={remote} onChange={(event) => setRemote(event.currentTarget.value)} />
      <Checkbox label="Replace the commits there, if they are the ones this session had" checked={isForced} onChange={(event) => setForced(event.currentTarget.checked)} />
      <Steps steps={work.steps} />
      <Failure error={work.error} />
    </Confirm>
  );
}
