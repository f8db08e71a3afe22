import type { FileChange } from "../model";
import { type Patch, modeName } from "../patch";
import classes from "./file-diff.module.css";

type Props = {
  file: FileChange;
  patch: Patch;
  /** Why the lines between the changes cannot be shown. */
  missing: "another" | "unknown" | null;
  hidesSpace: boolean;
};

/** What there is to say about a file besides its lines. */
export function FileNotes({ file, patch, missing, hidesSpace }: Props) {
  const notes: string[] = [];
  if (file.original != null) {
    const share = patch.similarity === null ? "" : patch.similarity === 100 ? ", unchanged" : `, ${patch.similarity}% alike`;
    notes.push(`${file.kind === "C" ? "Copied" : "Renamed"} from ${file.original}${share}`);
  }
  if (patch.oldMode !== null && patch.newMode !== null && patch.oldMode !== patch.newMode) {
    notes.push(`Was: ${modeName(patch.oldMode)} (${patch.oldMode}). Is: ${modeName(patch.newMode)} (${patch.newMode})`);
  } else if (patch.newMode !== null && patch.newMode !== "100644" && patch.hunks.length > 0) {
    notes.push(`${modeName(patch.newMode)} (${patch.newMode})`);
  }
  if (patch.isSubmodule) notes.push("Submodule: another commit of another repository");
  if (patch.hasReplaced) notes.push("Some bytes are no UTF-8 and are shown as \uFFFD");
  if (missing === "another") notes.push("The lines between cannot be shown: the file in the worktree is another by now");
  if (missing === "unknown") notes.push("The lines between cannot be shown: without HTTPS the browser cannot tell whether the file is still the same");
  if (hidesSpace) notes.push("Changes of white space alone are not shown");
  if (notes.length === 0) return null;
  return (
    <div className={classes.notes} role="status">
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </div>
  );
}
