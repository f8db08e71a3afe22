import { Skeleton } from "@mantine/core";

import { SkeletonRows } from "@/ui/states";

import classes from "./session.module.css";

/** The page of a session while it is being read: everything has its place already. */
export function SessionSkeleton() {
  return (
    <div className={classes.page} role="status" aria-label="Loading">
      <div className={classes.header}>
        <div className={classes.headerRow}>
          <Skeleton height={20} width={260} />
        </div>
        <div className={classes.headerRow}>
          <Skeleton height={12} width={520} my={5} />
        </div>
      </div>
      <div className={classes.columns} data-left="true" data-right="true">
        <div className={classes.left}>
          <SkeletonRows count={8} height={26} />
        </div>
        <div className={classes.centre}>
          <SkeletonRows count={14} />
        </div>
        <div className={classes.side}>
          <SkeletonRows count={10} />
        </div>
      </div>
    </div>
  );
}
