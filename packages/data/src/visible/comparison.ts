import { typeOfScalar } from '../column-types.ts';
import { enumType, type ColumnType } from '../types.ts';
import type { DataField } from './rule.ts';

/** A text by which values of a column are equal; undefined for what is none of its values. */
export type TextOf = (value: unknown) => string | undefined;

/** How a column's values are compared exactly; undefined if they can't be. */
export function textOfField(field: DataField): TextOf | undefined {
  return typeOfField(field)?.compare;
}

/** Whether rows can be found by a set of a column's values. */
export function isInSets(field: DataField): boolean {
  const type = typeOfField(field);
  return type?.compare !== undefined && type.filters.includes('in');
}

/** Prisma's data model doesn't say how a scalar is stored: as one without an attribute. */
function typeOfField({ kind, type, isList }: DataField): ColumnType | undefined {
  if (isList || kind === 'object') {
    return undefined;
  }
  return kind === 'enum' ? enumType(type, {}) : typeOfScalar(type);
}
