/** One line of the answer: the counts, then the name. */
export function report(name, counts) {
  const columns = Object.values(counts).map((value) => String(value).padStart(8));
  return `${columns.join("")}  ${name}`;
}
