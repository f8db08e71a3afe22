import { Confirm } from "./confirm";

/** Something that waits until its command is allowed. */
export type NotAllowed = {
  /** What was to be done. */
  title: string;
  /** What the server said about the command. */
  message: string;
  again: () => void;
};

type Props = { refused: NotAllowed; onClose: () => void };

/** A command of the repository's own settings file runs only once the user has seen it. */
export function AllowCommand({ refused, onClose }: Props) {
  const allow = () => {
    onClose();
    refused.again();
  };
  return (
    <Confirm
      title={`${refused.title}: allow the command?`}
      isHarmless
      does={[refused.message, "Allows the command as the repository's settings file has it now, and runs it."]}
      keeps={["If somebody changes the command there, you are asked again."]}
      undo="What is allowed can be taken back under Manage, Commands."
      action="Allow and run"
      onConfirm={allow}
      onClose={onClose}
    />
  );
}
