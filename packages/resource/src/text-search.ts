import type { ArgumentRef } from '@pothos/core';
import { text, type InputRule } from '@store-gateway/graphql';
import type { AnyTypes } from './builder-prototype.ts';
import { literally } from './list-restrictions.ts';

/** The argument that rows are searched by. */
export const SEARCH = 'search';

const MAX_LENGTH = 100;
const WORD = /[\p{L}\p{N}]{3}/u;
const TEXT = text(3, MAX_LENGTH);

/** An index of trigrams finds nothing by less than three letters or digits, and would be read as a whole. */
const SEARCH_RULE: InputRule = {
  expected: `a string of 3 to ${MAX_LENGTH} characters, at least three of them letters or digits in a row`,
  accepts: (value) => TEXT.accepts(value) && WORD.test(String(value)),
  jsonSchema: TEXT.jsonSchema,
};

export function searchArgument(
  t: PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>,
  nouns: string,
  columns: readonly string[],
): ArgumentRef<AnyTypes, string | null | undefined> {
  const within = columns.map((field) => `\`${field}\``).join(' or ');
  return t.string({
    rule: SEARCH_RULE,
    example: 'abc',
    description: `Only ${nouns} whose ${within} contains this text, whatever its capitals, in the order of ids: 3 to ${MAX_LENGTH} characters, three of them letters or digits in a row.`,
  });
}

/** Prisma's condition that one of the columns contains a text, whatever its capitals. */
export function contains(columns: readonly string[], searched: string): object {
  const [only, ...others] = columns.map((field) => ({
    [field]: { contains: literally(searched), mode: 'insensitive' },
  }));
  return others.length === 0 ? { ...only } : { OR: [only, ...others] };
}
