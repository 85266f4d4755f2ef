import { hostileText } from './hostile-text.ts';
import type { Random } from './random.ts';

const NUMBERS = [
  ...'0 -0 1 -1 0.1 1e0 1E+2 5.0 9007199254740993 -9007199254740993 9223372036854775807'.split(' '),
  ...'9223372036854775808 -9223372036854775808 -9223372036854775809 1e18 1e19 1e308 1e309'.split(
    ' ',
  ),
  ...'1e-400 1e99999 -1e99999 1e-99999999999 0.000000000000000000001 123456789012345678901'.split(
    ' ',
  ),
];

/** What is like JSON, and isn't. */
const NO_JSON = [
  ...'NaN Infinity undefined 01 +1 .5 1. 0x1 1_000 \'x\' `x` True nul /**/1 [1,] {"a":1,} {a:1}'.split(
    ' ',
  ),
  ...'"\n"|"\\x41"|"\\u12"|"|[|{"a"|\ufeff|\0||}|1 2|"\t"'.split('|'),
];

const NAMES = [
  ...'name categoryId status id limit query variables operationName extensions documentId'.split(
    ' ',
  ),
  ...'__proto__ constructor prototype toString valueOf toJSON hasOwnProperty then length 0'.split(
    ' ',
  ),
  ...'persistedQuery input code message'.split(' '),
];

/** JSON of any kind, and now and then what isn't JSON. */
export function hostileJson(random: Random, depth = 3): string {
  if (random.chance(0.02)) {
    return random.pick(NO_JSON);
  }
  switch (random.integer(0, depth > 0 ? 9 : 5)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return `${random.chance(0.5) ? '-' : ''}${'9'.repeat(random.integer(1, 400))}${random.chance(0.5) ? 'e-3' : ''}`;
    case 2:
      return random.pick(['null', 'true', 'false', '""', '[]', '{}']);
    case 3:
    case 4:
      return jsonString(hostileText(random), random);
    case 5:
      return nested(random);
    case 6:
      return `[${random.some(8, () => hostileJson(random, depth - 1)).join(',')}]`;
    default:
      return `{${random.some(8, () => member(random, depth)).join(',')}}`;
  }
}

/** A body of both surfaces' kinds in which most is right, and some members come twice or are hostile. */
export function hostileObject(members: Readonly<Record<string, string>>, random: Random): string {
  const written = Object.entries(members).map(([name, value]) => {
    const sent = random.chance(0.25) ? hostileJson(random) : value;
    return `${space(random)}${JSON.stringify(name)}${space(random)}:${space(random)}${sent}`;
  });
  const others = random.some(4, () => member(random, 3));
  const all = random.chance(0.5) ? [...written, ...others] : [...others, ...written];
  const text = `{${all.join(',')}}`;
  return random.chance(0.05) ? `\ufeff${text}` : text;
}

function member(random: Random, depth: number): string {
  const name = random.chance(0.8) ? random.pick(NAMES) : hostileText(random);
  return `${jsonString(name, random)}:${hostileJson(random, depth - 1)}`;
}

function space(random: Random): string {
  return random.chance(0.1)
    ? random.pick([' ', '\t', '\r\n', ' '.repeat(random.integer(1, 3000))])
    : '';
}

/** As JSON.stringify writes it, which has escapes for lone surrogates; or all in escapes. */
function jsonString(text: string, random: Random): string {
  if (random.chance(0.2)) {
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  }
  return JSON.stringify(text);
}

/** Nested deeper than whatever reads it by recursion can go. */
function nested(random: Random): string {
  const levels = random.pick([3, 20, 100, 1000, 5000, 20_000]);
  const [open, inside, close] = random.pick([
    ['[', '1', ']'],
    ['{"a":', '1', '}'],
    ['[{"__proto__":', 'null', '}]'],
    ['[', '', ''],
  ] as const);
  return open.repeat(levels) + inside + close.repeat(levels);
}
