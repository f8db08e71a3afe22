/** A text of the engine in which names stand between backticks, with these shown as code. */
export function Ticked({ text }: { text: string }) {
  return text.split(/`([^`\n]+)`/).map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
