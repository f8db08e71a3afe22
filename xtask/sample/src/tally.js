/** Counts the lines, words and characters of a text. */
export function tally(text) {
  return {
    lines: countLines(text),
    words: words(text).length,
    characters: [...text].length,
  };
}

/** The words of a text: runs of letters, digits and apostrophes. */
export function words(text) {
  return text.match(/[\p{L}\p{N}'’]+/gu) ?? [];
}

function countLines(text) {
  return text.replace(/\n$/, "").split("\n").length;
}
