import { Link, Outlet } from "@tanstack/react-router";

import classes from "./manage.module.css";
import { MANAGE_GROUPS } from "./manage.pages";

/** The less used pages, with their names beside them. */
export function ManagePage() {
  return (
    <div className={classes.columns}>
      <nav className={classes.nav} aria-label="Manage">
        {MANAGE_GROUPS.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <div className={classes.group} aria-hidden>
              {group.title}
            </div>
            {group.pages.map(({ title, to }) => (
              <Link key={to} to={to} className={classes.item} activeOptions={{ includeSearch: false }}>
                {title}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className={classes.page}>
        <Outlet />
      </div>
    </div>
  );
}
