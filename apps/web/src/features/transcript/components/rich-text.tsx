import { Fragment, type ReactNode, memo } from "react";

import { Marked } from "@/ui/marked";

import classes from "./rows.module.css";

type Props = { text: string; find?: string };

/**
 * What an agent says: code in blocks and lines, bold words. Anything else stays as it was written, so nothing is lost that
 * another way of reading it would swallow.
 */
export const RichText = memo(function RichText({ text, find }: Props) {
  return (
    <div className={classes.text}>
      {text.split(/^(```.*\n[\s\S]*?(?:\n```[ \t]*$|$(?![\s\S])))/m).map((block, index) => {
        const code = /^```.*\n([\s\S]*?)(?:\n```[ \t]*)?$/.exec(block);
        if (index % 2 === 1 && code) {
          return (
            <pre key={index} className={classes.code}>
              <Marked text={code[1] ?? ""} find={find} />
            </pre>
          );
        }
        return <Fragment key={index}>{inline(block.replace(/^\n|\n$/g, ""), find)}</Fragment>;
      })}
    </div>
  );
});

function inline(text: string, find: string | undefined): ReactNode[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece, index) => {
    if (index % 2 === 0) return <Marked key={index} text={piece} find={find} />;
    if (piece.startsWith("`")) {
      return (
        <code key={index}>
          <Marked text={piece.slice(1, -1)} find={find} />
        </code>
      );
    }
    return (
      <strong key={index}>
        <Marked text={piece.slice(2, -2)} find={find} />
      </strong>
    );
  });
}
