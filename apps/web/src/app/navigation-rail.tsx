import { Link } from "@tanstack/react-router";

import { NAVIGATION } from "./navigation";
import classes from "./shell.module.css";

export function Navigation() {
  return (
    <nav className={classes.rail} aria-label="Pages">
      <Link to="/" aria-label="Amp Orchestra: all sessions">
        <img className={classes.mark} src="/icon.svg" alt="" />
      </Link>
      {NAVIGATION.map(({ title, to, icon: Icon }) => (
        <Link key={to} to={to} className={classes.item} activeOptions={{ exact: to === "/", includeSearch: false }}>
          <Icon size={18} stroke={1.75} />
          {title}
        </Link>
      ))}
    </nav>
  );
}
