import type { Random } from './random.ts';

/** What is easily taken for something else, cut in two, or not taken at all. */
const PIECES = [
  ...'\0|\u0001|\t|\n|\r|\r\n|\u001b|\u007f|\u0085|\u00a0|\u00ad|\u0300|\u0301|\u034f'.split('|'),
  ...'\u200b|\u200d|\u200e|\u202e|\u2028|\u2029|\ufe0f|\ufeff|\ufffd|\ufffe|\uffff'.split('|'),
  ...'\ud800|\udc00|\udbff|\u{10ffff}|\u{1f1e6}|👩🏽‍🚀|İ|ß|ﬁ|A\u030a|\u1100\u1161|𝟙'.split('|'),
  ...`"|\\|'|\`|;|--|/*|*/|#|&|=|?|%|%00|%zz|%ud800|\${x}|{{x}}|<script>|$1|\\u0000|\\ud800`.split(
    '|',
  ),
  ...'null|true|NaN|Infinity|-0|0x10|1e999|__proto__|constructor|toString|hasOwnProperty'.split(
    '|',
  ),
  ...'{|}|[|]|(|)|:|,|!|@|...|"""|$a|../|..%2f|//|/|.|;jsessionid=1'.split('|'),
];

/** A text of hostile pieces, mostly short, seldom very long. */
export function hostileText(random: Random): string {
  const text = random
    .some(12, () =>
      random.chance(0.7)
        ? random.pick(PIECES)
        : String.fromCodePoint(random.integer(0, random.pick([0x7f, 0x7ff, 0xffff, 0x10ffff]))),
    )
    .join('');
  return random.chance(0.03) ? text.repeat(random.integer(1, 4000)) : text;
}

/** A text as part of a URL: encoded rightly, wrongly, twice, in other encodings, or not at all. */
export function inUrl(text: string, random: Random): string {
  const wellFormed = text.toWellFormed();
  const bytes = Buffer.from(text);
  switch (random.integer(0, 5)) {
    case 0:
      return encodeURIComponent(wellFormed);
    case 1:
      return encodeURIComponent(encodeURIComponent(wellFormed));
    case 2:
      return percentEncoded(bytes);
    case 3:
      return percentEncoded(Buffer.from(text, random.pick(['latin1', 'utf16le'])));
    case 4:
      return `${encodeURIComponent(wellFormed)}%`;
    default:
      // What would end the request line is for the attacks on framing.
      return bytes.toString('latin1').replaceAll(/[\0-\x20\x7f]/g, '+');
  }
}

function percentEncoded(bytes: Buffer): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
