import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  letrec,
  oneof,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { anyCharacter } from '../support/property-runs.ts';

/** A text with arbitrary parts; the items of an array are separated by commas. */
export function text(
  strings: TemplateStringsArray,
  ...parts: readonly (string | Arbitrary<unknown>)[]
): Arbitrary<string> {
  const all = parts.map((part) => (typeof part === 'string' ? constant(part) : part));
  return tuple(...all).map((values) => String.raw({ raw: strings }, ...values));
}

/** A text repeated `min` to `max` times. */
export function repeated(part: string, min: number, max: number): Arbitrary<string> {
  return integer({ min, max }).map((count) => part.repeat(count));
}

/** One of the texts that are separated by `|`. */
export function either(...lists: readonly string[]): Arbitrary<string> {
  return constantFrom(...lists.flatMap((list) => list.split('|')));
}

/** One value in `times` is of the other kind. */
export function mostly<T>(usual: Arbitrary<T>, times: number, other: Arbitrary<T>): Arbitrary<T> {
  return oneof({ arbitrary: usual, weight: times - 1 }, { arbitrary: other, weight: 1 });
}

/** At most `most` items; small numbers of items are more frequent. */
export function some<T>(most: number, item: Arbitrary<T>): Arbitrary<T[]> {
  return oneof(array(item, { maxLength: 2 }), array(item, { maxLength: most, size: 'max' }));
}

/** Characters that parsers confuse, cut in two or reject. */
const PIECES = either(
  '\0|\u0001|\t|\n|\r|\r\n|\u001b|\u007f|\u0085|\u00a0|\u00ad|\u0300|\u0301|\u034f',
  '\u200b|\u200d|\u200e|\u202e|\u2028|\u2029|\ufe0f|\ufeff|\ufffd|\ufffe|\uffff',
  '\ud800|\udc00|\udbff|\u{10ffff}|\u{1f1e6}|👩🏽‍🚀|İ|ß|ﬁ|A\u030a|\u1100\u1161|𝟙',
  `"|\\|'|\`|;|--|/*|*/|#|&|=|?|%|%00|%zz|%ud800|\${x}|{{x}}|<script>|$1|\\u0000|\\ud800`,
  'null|true|NaN|Infinity|-0|0x10|1e999|__proto__|constructor|toString|hasOwnProperty',
  '{|}|[|]|(|)|:|,|!|@|...|"""|$a|../|..%2f|//|/|.|;jsessionid=1',
);

const shortText = string({
  unit: mostly(PIECES, 3, anyCharacter),
  maxLength: 12,
  size: 'max',
});

export const hostileText = mostly(
  shortText,
  30,
  tuple(shortText, integer({ min: 1, max: 4000 })).map(([part, count]) => part.repeat(count)),
);

const percent = (bytes: Buffer) =>
  Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const encoded = (part: string) => encodeURIComponent(part.toWellFormed());

/** A text in a URL: encoded correctly, wrongly, twice, in other encodings, or not at all. */
export function inUrl(part: Arbitrary<string>): Arbitrary<string> {
  const encode = constantFrom(
    encoded,
    (value: string) => encoded(encoded(value)),
    (value: string) => percent(Buffer.from(value)),
    (value: string) => percent(Buffer.from(value, 'latin1')),
    (value: string) => percent(Buffer.from(value, 'utf16le')),
    (value: string) => `${encoded(value)}%`,
    // The framing attacks send characters that end the request line.
    (value: string) =>
      Buffer.from(value)
        .toString('latin1')
        .replaceAll(/[\0-\x20\x7f]/g, '+'),
  );
  return tuple(part, encode).map(([value, write]) => write(value));
}

const LITERALS = either(
  '0|-0|1|-1|0.1|1e0|1E+2|5.0|9007199254740993|-9007199254740993|9223372036854775807',
  '9223372036854775808|-9223372036854775808|-9223372036854775809|1e18|1e19|1e308|1e309',
  '1e-400|1e99999|-1e99999|1e-99999999999|0.000000000000000000001|123456789012345678901',
  'null|true|false|""|[]|{}',
);
/** Texts that resemble JSON. */
const NO_JSON = either(
  'NaN|Infinity|undefined|01|+1|.5|1.|0x1|1_000|True|nul|/**/1|[1,]|{"a":1,}|{a:1}',
  `'x'|\`x\`|"\n"|"\\x41"|"\\u12"|"|[|{"a"|\ufeff|\0||}|1 2|"\t"`,
);
const NAMES = either(
  'name|categoryId|status|id|limit|query|variables|operationName|extensions|documentId',
  '__proto__|constructor|prototype|toString|valueOf|toJSON|hasOwnProperty|then|length|0',
  'persistedQuery|input|code|message',
);

const escaped = (part: string) =>
  `"${part.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

/** A JSON string with as few escapes as possible, or with every character escaped. */
function jsonString(part: Arbitrary<string>): Arbitrary<string> {
  return mostly(
    part.map((value) => JSON.stringify(value)),
    5,
    part.map(escaped),
  );
}

/** A nested value, often too deep for recursion. */
const nested = tuple(
  constantFrom(3, 20, 100, 1000, 5000, 20_000),
  constantFrom(
    ['[', '1', ']'],
    ['{"a":', '1', '}'],
    ['[{"__proto__":', 'null', '}]'],
    ['[', '', ''],
  ),
).map(([levels, [open = '', inside = '', close = '']]) =>
  [open.repeat(levels), inside, close.repeat(levels)].join(''),
);

const json = letrec<Record<'value' | 'member', string>>((tie) => ({
  value: mostly(
    oneof(
      { maxDepth: 4 },
      LITERALS,
      text`${either('|-')}${repeated('9', 1, 400)}${either('|e-3')}`,
      jsonString(hostileText),
      nested,
      text`[${some(8, tie('value'))}]`,
      text`{${some(8, tie('member'))}}`,
    ),
    50,
    NO_JSON,
  ),
  member: text`${jsonString(mostly(NAMES, 5, hostileText))}:${tie('value')}`,
}));

/** JSON of any kind, and sometimes a text that resembles it. */
export const hostileJson = json.value;

const space = mostly(constant(''), 10, oneof(either(' |\t|\r\n'), repeated(' ', 1, 3000)));

/** A JSON object of these members, some of which have hostile values or occur twice. */
export function hostileObject(
  members: Readonly<Record<string, string | Arbitrary<string>>>,
): Arbitrary<string> {
  const valid = Object.entries(members).map(
    ([name, value]) =>
      text`${space}"${name}"${space}:${space}${mostly(text`${value}`, 4, hostileJson)}`,
  );
  const all = tuple(tuple(...valid), some(4, json.member), boolean()).map(
    ([written, others, isFirst]) => (isFirst ? [written, others] : [others, written]).flat(),
  );
  return text`${mostly(constant(''), 20, constant('\ufeff'))}{${all}}`;
}
