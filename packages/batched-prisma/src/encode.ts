import { DbNull } from '@prisma/client/runtime/client';
import { codecOf } from './codecs.ts';
import type { Column } from './model.ts';
import { arrayLiteral } from './sql.ts';

/** The text of a parameter, null, or undefined for a value that Prisma's engine is to judge. */
export type Encoded = string | null | undefined;

/** Writes values of a column, as Prisma's client takes them, for PostgreSQL. */
export function encoderOf(column: Column): (value: unknown) => Encoded {
  const { kind, isRequired, isList = false } = column;
  const { encode } = codecOf(column);
  if (isList) {
    return (value) => {
      const texts = Array.isArray(value) ? value.map(encode) : [undefined];
      return texts.includes(undefined) ? undefined : arrayLiteral(texts.map(String));
    };
  }
  const absent = kind === 'Json' ? DbNull : null;
  return (value) => (value === absent && !isRequired ? null : encode(value));
}
