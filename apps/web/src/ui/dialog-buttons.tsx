import type { ReactNode } from "react";

import classes from "./dialog-buttons.module.css";

type Props = { /** What stands apart, at the other end. */ aside?: ReactNode; children: ReactNode };

/** The last row of a dialog. It stays in sight when the dialog is higher than the window. */
export function DialogButtons({ aside, children }: Props) {
  return (
    <div className={classes.buttons}>
      {aside !== undefined && <div className={classes.aside}>{aside}</div>}
      {children}
    </div>
  );
}
