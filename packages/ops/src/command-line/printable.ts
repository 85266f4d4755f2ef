/**
 * A text safe to print on one line of a terminal: line breaks, escapes (C1 ones included, which JSON lets through) and
 * bidirectional controls are spelled out, so that no name can forge a row.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}
