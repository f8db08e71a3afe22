/** The frame of a page, and the parts it is made of. */
import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import { CopyButton } from "./copy-button";
import classes from "./page.module.css";

type PageProps = { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode };

/** A page with its name, what it is for, and what can be done on it. */
export function Page({ title, about, actions, children }: PageProps) {
  return (
    <div className={classes.page}>
      <div className={classes.inner}>
        <header className={classes.head}>
          <div>
            <Title order={1}>{title}</Title>
            {about !== undefined && (
              <Text className={classes.about} component="div">
                {about}
              </Text>
            )}
          </div>
          {actions}
        </header>
        {children}
      </div>
    </div>
  );
}

type SectionProps = { title: ReactNode; actions?: ReactNode; children: ReactNode };

/** A part of a page with a heading. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <Title order={3}>{title}</Title>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A frame around rows. */
export function Panel({ children }: { children: ReactNode }) {
  return <div className={classes.panel}>{children}</div>;
}

/** A line in a frame that has no rows. */
export function NoRows({ children }: { children: ReactNode }) {
  return <div className={classes.none}>{children}</div>;
}

export type Tone = "quiet" | "active" | "attention" | "danger" | "good" | "info";

/** A short word with a colour that goes with it. */
export function Tag({ tone = "quiet", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={classes.badge} data-tone={tone} title={title}>
      {children}
    </span>
  );
}

/** A path, cut at its beginning, with a copy button. */
export function PathText({ path, what = "path" }: { path: string; what?: string }) {
  return (
    <span className={classes.path}>
      <span className="mono truncate" title={path}>
        <bdi>{path}</bdi>
      </span>
      <CopyButton value={path} what={what} />
    </span>
  );
}

/** A short text such as a commit or a command, with a copy button. */
export function Copyable({ value, what, children }: { value: string; what: string; children?: ReactNode }) {
  return (
    <span className={classes.copyable}>
      <code>{children ?? value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}

/** Names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
