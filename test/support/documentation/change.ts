/**
 * A text with a change that is made by hand, as a `diff` block shows it: one place, or several with a line of `@@` between
 * them, each with enough of the lines around it to be found.
 *
 * @throws Error if a place is not there, or there twice
 */
export function changed(text: string, diff: string): string {
  let result = `\n${text}`;
  for (const place of diff.split(/\n@@\n/)) {
    const old = without('+', place);
    const [head = '', tail, ...others] = result.split(old);
    if (tail === undefined || others.length > 0) {
      throw new Error(`not once in the file:${old}`);
    }
    result = `${head}${without('-', place)}${tail}`;
  }
  return result.slice(1);
}

/** How many lines whoever makes a change by hand writes or deletes. */
export function linesByHand(diff: string): number {
  return diff.split('\n').filter((line) => /^[+-]/.test(line)).length;
}

/** The lines of a place but those of a sign, from the line break before them to the one behind. */
function without(sign: '+' | '-', place: string): string {
  const lines = place.split('\n').filter((line) => !line.startsWith(sign));
  return `\n${lines.map((line) => line.slice(1)).join('\n')}\n`;
}
