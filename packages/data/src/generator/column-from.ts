import type { DMMF } from '@prisma/generator-helper';
import type { Column, Kind } from '../model.ts';
import { arrayLiteral, quoted } from '../sql.ts';
import { generatedDefault } from './generated-default.ts';

type Scalar = Exclude<Kind, 'Enum'>;

/** PostgreSQL's types by Prisma's, without an attribute and with one (`@db.Uuid`). */
const PG_TYPES: Readonly<Record<Scalar, Readonly<Record<string, string>>>> = {
  BigInt: { '': 'bigint', BigInt: 'bigint' },
  Int: { '': 'integer', Integer: 'integer', SmallInt: 'smallint' },
  Float: { '': 'double precision', DoublePrecision: 'double precision' },
  Decimal: { '': 'numeric', Decimal: 'numeric' },
  String: { '': 'text', Text: 'text', VarChar: 'varchar', Uuid: 'uuid' },
  Boolean: { '': 'boolean', Boolean: 'boolean' },
  DateTime: {
    '': 'timestamp',
    Timestamp: 'timestamp',
    Timestamptz: 'timestamptz',
    Date: 'date',
  },
  Json: { '': 'jsonb', Json: 'json', JsonB: 'jsonb' },
  Bytes: { '': 'bytea', ByteA: 'bytea' },
};

/** A scalar field's column; undefined if it is of a type that no statement handles. */
export function columnFrom(
  field: DMMF.Field,
  table: string,
  enums: readonly DMMF.DatamodelEnum[],
): Column | undefined {
  const { name, type, isRequired, isList } = field;
  const values = field.kind === 'enum' ? enums.find((found) => found.name === type) : undefined;
  const kind = isScalar(type) ? type : 'Enum';
  const pgType = isScalar(type)
    ? PG_TYPES[type][field.nativeType?.[0] ?? '']
    : values && quoted(values.dbName ?? values.name);
  if (pgType === undefined) {
    return undefined;
  }
  const column = field.dbName ?? name;
  return {
    field: name,
    column,
    kind,
    pgType: isList ? `${pgType}[]` : pgType,
    isRequired,
    ...(isList && { isList: true as const }),
    ...(isFiner(field) && { isFiner: true as const }),
    ...(values && {
      enumValues: Object.fromEntries(
        values.values.map((value) => [value.dbName ?? value.name, value.name]),
      ),
    }),
    ...(field.isUpdatedAt === true && updatedAt(pgType)),
    ...defaultFrom(field, { pgType, sequence: `${table}_${column}_seq` }, (value) =>
      constantText(value, kind, values),
    ),
  };
}

/** PostgreSQL keeps microseconds, unless the attribute has a precision. Prisma's own default is 3. */
function isFiner({ type, nativeType }: DMMF.Field): boolean {
  const [name, [precision = 6]] = nativeType ?? ['Timestamp', ['3']];
  return type === 'DateTime' && name.startsWith('Timestamp') && Number(precision) > 3;
}

function isScalar(type: string): type is Scalar {
  return Object.hasOwn(PG_TYPES, type);
}

function updatedAt(pgType: string): Pick<Column, 'onUpdate'> {
  const now = generatedDefault('now()', { pgType, sequence: '' });
  return now === undefined ? {} : { onUpdate: now };
}

function defaultFrom(
  { default: value, isUpdatedAt = false }: DMMF.Field,
  column: { readonly pgType: string; readonly sequence: string },
  textOf: (value: DMMF.FieldDefaultScalar) => string,
): Pick<Column, 'constant' | 'generated' | 'isGeneratedByEngine'> {
  if (Array.isArray(value)) {
    return { constant: arrayLiteral(value.map(textOf)) };
  }
  if (typeof value !== 'object' && !isUpdatedAt) {
    return value === undefined ? {} : { constant: textOf(value) };
  }
  const { name, args } =
    typeof value === 'object' && 'name' in value ? value : { name: 'now', args: [] };
  const generated = generatedDefault(`${name}(${args.join()})`, column);
  return generated === undefined ? { isGeneratedByEngine: true } : { generated };
}

/** The constant as PostgreSQL takes it. */
function constantText(
  value: DMMF.FieldDefaultScalar,
  kind: Kind,
  values: DMMF.DatamodelEnum | undefined,
): string {
  const text = String(value);
  switch (kind) {
    case 'Enum':
      return values?.values.find(({ name }) => name === text)?.dbName ?? text;
    case 'DateTime':
      return new Date(text).toISOString();
    case 'Bytes':
      return `\\x${Buffer.from(text, 'base64').toString('hex')}`;
    default:
      return text;
  }
}
