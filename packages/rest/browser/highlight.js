/** Matches enough tokens for JSON and the languages of the samples. Names of members have no color of their own. */
const TOKENS =
  /"(?:[^"\\\n]|\\.)*"(?=:)|(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`]*`)|(?<comment>\/\/ .*)|(?<number>-?\b\d[\d.eE+-]*\b)/g;

/**
 * Colors code without changing the document (CSS Custom Highlight API), so that selecting and copying work as before.
 *
 * @param {Element} code whose only child is text
 */
export function highlight(code) {
  const { firstChild } = code;
  // With forced colors, highlights would look like selected text.
  if (
    !('highlights' in CSS) ||
    firstChild === null ||
    matchMedia('(forced-colors: active)').matches
  ) {
    return;
  }
  forgetReplaced();
  for (const { index, 0: token, groups = {} } of code.textContent.matchAll(TOKENS)) {
    for (const [name, text] of Object.entries(groups)) {
      if (text !== undefined) {
        const range = new Range();
        range.setStart(firstChild, index);
        range.setEnd(firstChild, index + token.length);
        highlightNamed(name).add(range);
      }
    }
  }
}

/** Deletes the ranges of replaced text. Otherwise, browsers would keep them, and update them on each change to the page. */
function forgetReplaced() {
  for (const ranges of CSS.highlights.values()) {
    for (const range of ranges) {
      if (range.collapsed) {
        ranges.delete(range);
      }
    }
  }
}

/** @param {string} name */
function highlightNamed(name) {
  const known = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, known);
  return known;
}
