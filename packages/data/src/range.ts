import { hasOnly, membersOf } from './arguments.ts';
import { typeOf } from './column-types.ts';
import type { ComparedColumn } from './conditions.ts';

export type Comparison = '<' | '<=' | '>' | '>=';

/** What a column is compared with. */
export interface Range {
  readonly bounds: readonly (readonly [comparison: Comparison, value: string])[];
  /** Whether these are the texts with a prefix, if texts are ordered by their bytes. */
  readonly isPrefix: boolean;
}

const COMPARISONS = [
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
] as const;
const MEMBERS: ReadonlySet<string> = new Set([...COMPARISONS.map(([name]) => name), 'startsWith']);

/** A pattern of LIKE without wildcards, which Prisma's engine leaves in. */
const LITERAL = /^(?:[^\\%_]|\\.)*$/su;

/** The range that a condition of Prisma says, with a prefix or without; undefined if it says anything else. */
export function rangeOf(condition: unknown, { column, encode }: ComparedColumn): Range | undefined {
  const members = membersOf(condition);
  if (members === undefined || !hasOnly(members, MEMBERS)) {
    return undefined;
  }
  const bounds: [Comparison, string][] = [];
  for (const [name, comparison] of COMPARISONS) {
    const given = members[name];
    if (given !== undefined) {
      const value = encode(given);
      if (value == null) {
        return undefined;
      }
      bounds.push([comparison, value]);
    }
  }
  const { startsWith } = members;
  if (startsWith === undefined) {
    return { bounds, isPrefix: false };
  }
  const hasPrefixes = typeOf(column).filters.includes('prefix');
  if (typeof startsWith !== 'string' || !hasPrefixes || !LITERAL.test(startsWith)) {
    return undefined;
  }
  const prefix = encode(startsWith.replaceAll(/\\(.)/gsu, '$1'));
  if (prefix == null) {
    return undefined;
  }
  const end = nextPrefix(prefix);
  bounds.push(['>=', prefix]);
  if (end !== undefined) {
    bounds.push(['<', end]);
  }
  return { bounds, isPrefix: true };
}

const LAST = '\u{10ffff}';
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** The first text behind all that have a prefix, in the order of bytes of UTF-8, which is that of characters. */
function nextPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  const place = characters.findLastIndex((character) => character !== LAST);
  const last = characters[place]?.codePointAt(0);
  const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : (last ?? 0) + 1;
  return last === undefined
    ? undefined
    : characters.slice(0, place).join('') + String.fromCodePoint(next);
}
