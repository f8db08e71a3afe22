import { Confirm } from "@/ui/confirm";

import type { Ask } from "../use-script-actions";

/** A command of the repository's own settings file runs only once the user has seen it. */
export function AllowDialog({ ask, onClose }: { ask: Ask; onClose: () => void }) {
  const allow = () => {
    onClose();
    ask.again();
  };
  return (
    <Confirm
      title={`Allow ${ask.name}`}
      isHarmless
      does={[ask.message, "Allows the command as it is written now, and starts it."]}
      keeps={["If somebody changes it, you are asked again."]}
      undo="What is allowed can be taken back in the settings."
      action="Allow and run"
      onConfirm={allow}
      onClose={onClose}
    />
  );
}
