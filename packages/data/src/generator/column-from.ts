import type { DMMF } from '@prisma/generator-helper';
import { typeOfScalar } from '../column-types.ts';
import type { Column } from '../model.ts';
import { arrayLiteral, quoted } from '../sql.ts';
import { enumType, type ColumnType } from '../types.ts';
import { generatedDefault } from './generated-default.ts';

/** A scalar field's column; undefined if it is of a type that no statement handles. */
export function columnFrom(
  field: DMMF.Field,
  table: string,
  enums: readonly DMMF.DatamodelEnum[],
): Column | undefined {
  const { name, isRequired, isList } = field;
  const found = enums.find((each) => field.kind === 'enum' && each.name === field.type);
  const enumValues = found && valuesOf(found);
  const type =
    found && enumValues
      ? enumType(quoted(found.dbName ?? found.name), enumValues)
      : typeOfScalar(field.type, field.nativeType?.[0]);
  if (type === undefined) {
    return undefined;
  }
  const column = field.dbName ?? name;
  return {
    field: name,
    column,
    pgType: isList ? `${type.pg}[]` : type.pg,
    isRequired,
    ...(isList && { isList: true as const }),
    ...(isFiner(field, type) && { isFiner: true as const }),
    ...(enumValues && { enumValues }),
    ...(field.isUpdatedAt === true && updatedAt(type)),
    ...defaultFrom(field, type, `${table}_${column}_seq`),
  };
}

/** What the client calls each of the database's values. */
function valuesOf({ values }: DMMF.DatamodelEnum): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map(({ name, dbName }) => [dbName ?? name, name]));
}

/** PostgreSQL keeps microseconds, unless the attribute has a precision. Prisma's own default is 3. */
function isFiner({ nativeType }: DMMF.Field, { time = 'day' }: ColumnType): boolean {
  const [, [precision = 6]] = nativeType ?? ['Timestamp', ['3']];
  return time !== 'day' && Number(precision) > 3;
}

function updatedAt(type: ColumnType): Pick<Column, 'onUpdate'> {
  const now = generatedDefault('now()', type, '');
  return now === undefined ? {} : { onUpdate: now };
}

function defaultFrom(
  { default: value, isUpdatedAt = false }: DMMF.Field,
  type: ColumnType,
  sequence: string,
): Pick<Column, 'constant' | 'generated' | 'isGeneratedByEngine'> {
  const { constant = String } = type;
  if (Array.isArray(value)) {
    return { constant: arrayLiteral(value.map((item) => constant(String(item)))) };
  }
  if (typeof value !== 'object' && !isUpdatedAt) {
    return value === undefined ? {} : { constant: constant(String(value)) };
  }
  const { name, args } =
    typeof value === 'object' && 'name' in value ? value : { name: 'now', args: [] };
  const generated = generatedDefault(`${name}(${args.join()})`, type, sequence);
  return generated === undefined ? { isGeneratedByEngine: true } : { generated };
}
