/** Enough for JSON and the languages of the samples. */
const TOKENS =
  /(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`]*`)|(?<comment>\/\/ .*)|(?<number>-?\b\d[\d.eE+-]*\b)/g;

/**
 * Colours code without a change of the document (CSS Custom Highlight API), so that selections and copies are as before.
 *
 * @param {Element} code whose only child is text
 */
export function highlight(code) {
  const { firstChild } = code;
  if (!('highlights' in CSS) || firstChild === null) {
    return;
  }
  for (const { index, 0: token, groups = {} } of code.textContent.matchAll(TOKENS)) {
    const range = new Range();
    range.setStart(firstChild, index);
    range.setEnd(firstChild, index + token.length);
    for (const [name, text] of Object.entries(groups)) {
      if (text !== undefined) {
        highlightNamed(name).add(range);
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
