import { useMutation, useQueryClient } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { Confirm } from "@/ui/confirm";
import { baseName, formatBytes, plural } from "@/ui/format";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type TrashRow, emptyTrash, trashKeys } from "../api";

type Props = { rows: readonly TrashRow[]; repository: string | undefined; onClose: () => void };

/** Asks before worktrees are gone for good. */
export function EmptyTrash({ rows, repository, onClose }: Props) {
  const cache = useQueryClient();
  const empty = useMutation({
    mutationFn: () => emptyTrash({ repository }),
    onSuccess: (answer) => {
      void cache.invalidateQueries({ queryKey: trashKeys.all });
      onClose();
      tellDone(`${plural(answer.deleted.length, "worktree")} deleted, ${formatBytes(answer.freed_bytes)} free`);
      if (answer.problems.length > 0) tellFailed("Some could not be deleted", { message: answer.problems.join("; ") });
    },
    onError: (error) => tellFailed("The trash was not emptied", asApiError(error)),
  });
  const names = rows.slice(0, 6).map((row) => row.session_name);
  const more = rows.length > names.length ? ` and ${rows.length - names.length} more` : "";
  return (
    <Confirm
      title={repository === undefined ? "Empty the trash" : `Empty the trash of ${baseName(repository)}`}
      does={rows.length === 0 ? [] : [`Deletes ${plural(rows.length, "worktree")} for good: ${names.join(", ")}${more}`]}
      keeps={["Branches and their commits", "Sessions, transcripts and logs"]}
      undo={null}
      action="Delete for good"
      obstacle={rows.length === 0 ? "The trash is empty." : undefined}
      isIncomplete={rows.length === 0}
      isBusy={empty.isPending}
      onConfirm={() => empty.mutate()}
      onClose={onClose}
    />
  );
}
