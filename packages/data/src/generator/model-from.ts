import type { DMMF } from '@prisma/generator-helper';
import { typeOf, typeOfScalar } from '../column-types.ts';
import type { Column, Index, Model as WholeModel, Relation } from '../model.ts';
import { arrayLiteral, literal, quoted } from '../sql.ts';
import { type ColumnType, enumType } from '../types.ts';

/** What of a model can be written as JSON. */
export type Model = Omit<WholeModel, 'rowAt'>;

type Datamodel = DMMF.Document['datamodel'];

/** The model as statements are made from it; undefined if none can be. */
export function modelFrom(model: DMMF.Model, datamodel: Datamodel): Model | undefined {
  const table = model.dbName ?? model.name;
  const columns = model.fields
    .filter(({ kind }) => kind !== 'object')
    .map((field) => columnFrom(field, table, datamodel.enums));
  const id = model.fields.find(({ isId }) => isId)?.name;
  const idColumn = columns.find((column) => column?.field === id);
  const isKnown =
    columns.every((column) => column !== undefined) &&
    idColumn !== undefined &&
    typeOf(idColumn).ids !== undefined;
  // The search path doesn't lead to a schema that the model names.
  if (!isKnown || id === undefined || model.schema !== null) {
    return undefined;
  }
  return {
    name: model.name,
    table,
    columns,
    id,
    indexes: datamodel.indexes.filter((index) => index.model === model.name).map(indexFrom),
    relations: model.fields
      .filter(({ kind }) => kind === 'object')
      .map((field) => relationFrom(field, model, datamodel)),
  };
}

/** A scalar field's column; undefined if it is of a type that no statement handles. */
function columnFrom(
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

function indexFrom({ algorithm, fields }: DMMF.Index): Index {
  return {
    fields: fields.map(({ name, sortOrder = 'asc', operatorClass }) => ({
      field: name,
      order: sortOrder,
      ...(operatorClass !== undefined && { ops: operatorClass }),
    })),
    ...(algorithm !== undefined && algorithm !== 'BTree' && { type: algorithm }),
  };
}

function relationFrom(field: DMMF.Field, model: DMMF.Model, { models }: Datamodel): Relation {
  const { name, type, isList, relationName } = field;
  const other = models.find((candidate) => candidate.name === type);
  const holder = isList
    ? other?.fields.find((back) => back.relationName === relationName && !back.isList)
    : field;
  const [foreignKey = '', ...more] = holder?.relationFromFields ?? [];
  const referenced = (isList ? model : other)?.fields.find(
    ({ name: to }) => to === holder?.relationToFields?.[0],
  );
  const isById = foreignKey !== '' && more.length === 0 && referenced?.isId === true;
  return {
    field: name,
    name: relationName ?? '',
    model: type,
    kind: isById ? (isList ? 'many' : 'one') : 'other',
    foreignKey: isById ? foreignKey : '',
    ...(isList && { isList }),
  };
}

/** Letters and digits that PostgreSQL's base64 has, and others in place of `+`, `/` and `=`. */
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=';

/** Crockford's alphabet, in which ULIDs are written: no I, L, O and U. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LETTERS_AND_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

// Expressions without a subquery, which PostgreSQL would evaluate once for all rows of a batch.

/** 43 characters of base64 that nobody can guess: two UUIDs have 244 random bits. */
const RANDOM =
  "encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64')";

/** Milliseconds since 1970: those of the transaction, so that the digits are of one moment. */
const NOW = 'floor(extract(epoch FROM now()) * 1000)::bigint';

/** Random characters, each with five random bits: both halves of base64 become an alphabet of 32. */
function random(alphabet: string, length: number): string {
  const half = alphabet.slice(0, 32);
  return `left(translate(${RANDOM}, '${BASE64}', '${half}${half}'), ${length})`;
}

/** The time, as digits of a base. */
function digitsOfTime(alphabet: string, length: number): string {
  const base = alphabet.length;
  const digits = Array.from({ length }, (_value, index) => {
    const digit = `mod(${NOW} / ${BigInt(base) ** BigInt(length - 1 - index)}, ${base})`;
    return `substr('${alphabet}', 1 + (${digit})::int, 1)`;
  });
  return digits.join(' || ');
}

/** Characters of an identifier in PostgreSQL, which shortens the names of sequences that would be longer. */
const MAX_NAME_LENGTH = 63;

/** The most characters that `RANDOM` has. */
const MAX_NANOID = 43;

/**
 * The expression for one of Prisma's functions, ids in the form in which its client writes them; undefined if there is none.
 *
 * @param sequence what PostgreSQL calls that of a serial column
 */
function generatedDefault(
  call: string,
  { pg, time: zone }: ColumnType,
  sequence: string,
): string | undefined {
  switch (call) {
    case 'now()':
      // A column without a time zone has the time in UTC, whatever the session's is.
      return zone === 'with time zone' ? 'now()' : `(now() AT TIME ZONE 'UTC')::${pg}`;
    case 'autoincrement()':
      return sequence.length <= MAX_NAME_LENGTH
        ? `nextval(${literal(quoted(sequence))}::regclass)`
        : undefined;
    case 'uuid()':
    case 'uuid(4)':
      return `gen_random_uuid()::${pg}`;
    case 'uuid(7)': {
      const digits = `lpad(to_hex(${NOW}), 12, '0')`;
      const start = `left(${digits}, 8) || '-' || right(${digits}, 4) || '-7'`;
      return `overlay(gen_random_uuid()::text PLACING ${start} FROM 1)::${pg}`;
    }
    case 'cuid()':
    case 'cuid(1)':
      return `'c' || ${digitsOfTime(LETTERS_AND_DIGITS, 8)} || ${random(LETTERS_AND_DIGITS, 16)}`;
    case 'cuid(2)':
      return `chr(97 + mod(get_byte(uuid_send(gen_random_uuid()), 0), 26)) || ${random(LETTERS_AND_DIGITS, 23)}`;
    case 'ulid()':
      return `${digitsOfTime(CROCKFORD, 10)} || ${random(CROCKFORD, 16)}`;
    default: {
      const [, length] = /^nanoid\((\d*)\)$/.exec(call) ?? [];
      const isShort = length === '' || (Number(length) >= 2 && Number(length) <= MAX_NANOID);
      return isShort ? `left(translate(${RANDOM}, '+/=', '-_'), ${length || 21})` : undefined;
    }
  }
}

/** An attribute with a condition, of a block or of a field. Each is on one line. */
const OF_BLOCK = /^\s*@@(?:index|unique)\(.*?\[([^\]]*)\].*\bwhere\s*:/;
const OF_FIELD = /^\s*(\w+)\s.*@unique\(.*\bwhere\s*:/;

/** The indexes of all rows. Which have a condition, only the schema says; any others of the same fields are left out, too. */
export function fullIndexes(indexes: readonly DMMF.Index[], schema: string): DMMF.Index[] {
  const partial = new Set<string>();
  let model = '';
  for (const line of schema.split('\n')) {
    const text = line.replace(/\/\/.*/, '');
    model = /^\s*model\s+(\w+)/.exec(text)?.[1] ?? model;
    const fields = (OF_BLOCK.exec(text) ?? OF_FIELD.exec(text))?.[1];
    if (fields !== undefined) {
      // Without the arguments of each field: its order, its operator class.
      partial.add(nameOf(model, fields.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '').split(',')));
    }
  }
  return indexes.filter(
    (index) =>
      !partial.has(
        nameOf(
          index.model,
          index.fields.map(({ name }) => name),
        ),
      ),
  );
}

function nameOf(model: string, fields: readonly string[]): string {
  return `${model} ${fields.map((field) => field.trim()).join(' ')}`;
}
