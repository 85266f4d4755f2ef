/** A double holds any number of so many digits. */
const KEPT_DIGITS = 15;

/**
 * Finds the numbers of valid JSON that a double may round: those of many digits, or with an exponent.
 *
 * @throws SyntaxError if it is nested deeper than so many levels
 */
export function scanJson(
  text: string,
  levels: number,
  onInexact: (start: number, end: number) => void,
): void {
  let level = 0;
  let start = 0;
  let digits = 0;
  let hasExponent = false;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if (character >= '0' && character <= '9') {
      digits += 1;
    } else if (character === 'e' || character === 'E') {
      // Or it is one of `true` and `false`.
      hasExponent = digits > 0;
    } else if (character !== '.' && character !== '+' && character !== '-') {
      if (digits > KEPT_DIGITS || hasExponent) {
        onInexact(start, at);
      }
      digits = 0;
      hasExponent = false;
      if (character === '"') {
        at = endOfString(text, at);
      } else if (character === '[' || character === '{') {
        level += 1;
      } else if (character === ']' || character === '}') {
        level -= 1;
      }
      if (level > levels) {
        throw new SyntaxError('the text is nested too deeply');
      }
      start = at + 1;
    }
  }
}

/** The index of a string's closing quotation mark. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text.charAt(end) !== '"') {
    end += text.charAt(end) === '\\' ? 2 : 1;
  }
  return end;
}
