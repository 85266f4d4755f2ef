import type { DMMF } from '@prisma/generator-helper';
import type { Column, ColumnDefault, Kind } from '../model.ts';
import { quoted } from '../sql.ts';

/** PostgreSQL's types by Prisma's, without an attribute and with one (`@db.Uuid`). */
const PG_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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

/** Whose constants the datamodel has as the client takes them. */
const KINDS_WITH_CONSTANTS: ReadonlySet<Kind> = new Set(['String', 'Int', 'Boolean', 'Enum']);

/** A scalar field's column; undefined if it is of a type that no statement handles. */
export function columnFrom(
  field: DMMF.Field,
  enums: readonly DMMF.DatamodelEnum[],
): Column | undefined {
  const { name, type, dbName, isRequired, isList } = field;
  const values = field.kind === 'enum' ? enums.find((found) => found.name === type) : undefined;
  const kind = values === undefined ? kindOf(type) : 'Enum';
  const pgType =
    values === undefined
      ? PG_TYPES[type]?.[field.nativeType?.[0] ?? '']
      : quoted(values.dbName ?? values.name);
  if (kind === undefined || pgType === undefined || isList) {
    return undefined;
  }
  const byDefault = defaultOf(field, kind);
  return {
    field: name,
    column: dbName ?? name,
    kind,
    pgType,
    isRequired,
    ...(values && {
      enumValues: Object.fromEntries(
        values.values.map((value) => [value.dbName ?? value.name, value.name]),
      ),
    }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
}

function kindOf(type: string): Kind | undefined {
  switch (type) {
    case 'BigInt':
    case 'Int':
    case 'Float':
    case 'Decimal':
    case 'String':
    case 'Boolean':
    case 'DateTime':
    case 'Json':
    case 'Bytes':
      return type;
    default:
      return undefined;
  }
}

function defaultOf(field: DMMF.Field, kind: Kind): ColumnDefault | undefined {
  const value = field.default;
  if (value === undefined) {
    return field.isUpdatedAt === true ? 'now' : undefined;
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return KINDS_WITH_CONSTANTS.has(kind) ? { constant: value } : 'other';
  }
  if ('name' in value) {
    const version = value.args[0];
    switch (value.name) {
      case 'now':
      case 'autoincrement':
        return value.name;
      case 'uuid':
        return version === undefined || version === 4 ? 'uuid' : 'other';
      default:
        return 'other';
    }
  }
  return 'other';
}
