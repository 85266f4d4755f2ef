import type { Pool } from 'pg';
import { runStatement } from './statement.ts';
import {
  type DriverError,
  driverErrorOf,
  type KnownRequestError,
  knownRequestErrorOf,
  RAISED_CLASSES,
} from './errors.ts';

/** A column whose type limits the size or length of its values. */
interface LimitedColumn {
  readonly column: string;
  /** Such as `character varying(20)`. */
  readonly type: string;
}

/** Finds the columns whose type occurs in an error message; if there are none, the `numeric` columns with a precision. */
const LIMITED_COLUMNS = {
  name: 'limitedColumns',
  text: `
    WITH columns AS (
      SELECT DISTINCT a.attname, format_type(a.atttypid, a.atttypmod) AS type
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND pg_table_is_visible(c.oid)
    ), told AS (
      SELECT * FROM columns WHERE position(type IN $1) > 0
    )
    SELECT * FROM told
    UNION ALL
    SELECT * FROM columns WHERE type LIKE 'numeric(%' AND NOT EXISTS (SELECT FROM told)`,
};

/** @param message of an error with SQLSTATE 22001 or 22003. If it names a type, then untranslated, in any language. */
async function limitedColumns(pool: Pool, message: string): Promise<LimitedColumn[]> {
  const rows = await runStatement(pool, LIMITED_COLUMNS, [message]);
  return rows.map(([column, type]) => ({ column: column ?? '', type: type ?? '' }));
}

const BITS: Readonly<Record<string, bigint>> = { smallint: 15n, integer: 31n, bigint: 63n };

/** Whether a column's type can hold a value; true if unknown. */
function holds({ type }: LimitedColumn, value: unknown): boolean {
  const text = String(value);
  const [, name = '', size = '', scale = '0'] =
    /^([a-z ]+?)(?:\((\d+)(?:,(-?\d+))?\))?$/.exec(type) ?? [];
  const bits = BITS[name];
  if (bits !== undefined) {
    const limit = 1n << bits;
    return !/^-?\d+$/.test(text) || (BigInt(text) < limit && BigInt(text) >= -limit);
  }
  if (name === 'numeric') {
    const [, digits = ''] = /^-?0*(\d*)(?:\.\d*)?$/.exec(text) ?? [];
    return size === '' || digits.length <= Number(size) - Number(scale);
  }
  return size === '' || Array.from(text).length <= Number(size);
}

/** The names of a model and its fields in the database, written by batched-prisma's generator. */
interface NamedColumns {
  readonly table: string;
  readonly columns: readonly {
    /** Its name in the Prisma model, and in the table. */
    readonly field: string;
    readonly column: string;
  }[];
  readonly relations: readonly {
    readonly field: string;
    /** The relation's name, the same on both sides. */
    readonly name: string;
    /** The field with the foreign key. */
    readonly foreignKey: string;
  }[];
}

/** Models by name. */
type Models = Readonly<Record<string, NamedColumns>>;

/** The reason why the database rejects a call whose statement is valid. */
export interface Violation {
  /** `reference`: a row would refer to a missing one, which may be the row to delete; `referred`: always a row to delete. */
  readonly kind: 'missingRow' | 'unique' | 'reference' | 'referred' | 'check' | 'null' | 'range';
  /** The names that the database's error mentions: of a constraint, an index, a table or a column. */
  readonly names: readonly string[];
  /** For `range`: the database's message. */
  readonly message?: string | undefined;
  /** For a reference made by `connect`: the model that is written, and the relation's name. */
  readonly connection?: { readonly model: string; readonly relation: string };
  /** The violated fields, if they are known without querying the database. */
  readonly fields?: readonly string[];
}

/** An error that is reported like the same violation found by the database. */
export class ViolationError extends Error {
  readonly violation: Violation;

  constructor(violation: Violation) {
    super(`the call violates a constraint: ${violation.kind}`);
    this.violation = violation;
  }
}

/** The kinds of violations by SQLSTATE. */
const KINDS: Readonly<Record<string, Violation['kind']>> = {
  '22001': 'range',
  '22003': 'range',
  '22007': 'check',
  '22008': 'range',
  '22P02': 'check',
  '23001': 'referred',
  '23502': 'null',
  '23503': 'reference',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'unique',
};

/** Prisma's codes for missing rows: for any of them, and for rows to connect. */
const MISSING_ROW = /^P20(?:15|18|25)$/;
const MISSING_RELATED = /^P20(?:15|18)$/;

/** Returns the violation that a Prisma error or a ViolationError reports; undefined for other errors. */
export function violationOf(error: unknown): Violation | undefined {
  if (error instanceof ViolationError) {
    return error.violation;
  }
  const known = knownRequestErrorOf(error);
  if (known !== undefined && MISSING_ROW.test(known.code)) {
    return missingRow(known);
  }
  const cause = driverErrorOf(error);
  const kind = KINDS[cause?.originalCode ?? ''];
  if (cause === undefined || kind === undefined) {
    return undefined;
  }
  // Messages of class 22 quote the value, not names.
  const names = cause.originalCode?.startsWith('22') === true ? [] : namesIn(cause);
  return { kind, names, message: cause.originalMessage };
}

const RAISED = new RegExp(`^(?:P0001|${RAISED_CLASSES}[0-9A-Z]{4})$`);

/** Whether only `RAISE EXCEPTION` reports a SQLSTATE: its default, or one in a class that PostgreSQL doesn't use. */
export function isRaised(sqlState: string): boolean {
  return RAISED.test(sqlState);
}

/** Returns what a trigger or function in the database raised; undefined for other errors. */
export function raisedOf(
  error: unknown,
): { readonly sqlState: string; readonly message: string } | undefined {
  const { originalCode = '', originalMessage = '' } = driverErrorOf(error) ?? {};
  return isRaised(originalCode) ? { sqlState: originalCode, message: originalMessage } : undefined;
}

/** Returns the violation for a missing row: the call's own, or one to connect. */
function missingRow({ code, meta }: KnownRequestError): Violation {
  const { operation, modelName, relation } = meta;
  return MISSING_RELATED.test(code) || operation === 'a nested connect'
    ? {
        kind: 'reference',
        names: [],
        connection: { model: String(modelName), relation: String(relation) },
      }
    : { kind: 'missingRow', names: [] };
}

/** The suffix that Citus adds to names in shards: the shard id, which starts at 102008. */
const SHARD_ID = /_\d{6,}$/;

/** A quoted name in a message of PostgreSQL, in any of its languages. */
const QUOTED = /["“„«»]\s*([^"“”„«»]+?)\s*["”“«»]/g;

/** Prisma's adapter reports the constraint of some violations; PostgreSQL's messages quote names for all. */
function namesIn({ constraint, originalMessage = '' }: DriverError): string[] {
  const told = [constraint['index'], constraint['fields']].flat();
  const quoted = Array.from(originalMessage.matchAll(QUOTED), ([, name]) => name);
  const names = [...told, ...quoted].filter((name) => typeof name === 'string');
  return [...new Set([...names, ...names.map((name) => name.replace(SHARD_ID, ''))])];
}

/** Finds the foreign keys that include a column. */
const REFERENCES = {
  name: 'foreignKeys',
  text: `
    SELECT c.conname FROM pg_constraint c
      JOIN pg_class t ON t.oid = c.conrelid
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
      WHERE c.contype = 'f' AND t.relname = $1 AND a.attname = $2 AND pg_table_is_visible(t.oid)`,
};

/** Looks up the foreign keys of a model's field in the database's catalog. */
export function createReferenceNames(
  pool: Pool,
  models: Models,
): (model: string, field: string) => Promise<readonly string[]> {
  return async (name, field) => {
    const model = models[name];
    const column = model?.columns.find((each) => each.field === field);
    if (model === undefined || column === undefined) {
      return [];
    }
    const rows = await runStatement(pool, REFERENCES, [model.table, column.column]);
    return rows.flatMap(([constraint]) => constraint ?? []);
  };
}

/** The fields that a violation concerns. */
export interface ViolatedFields {
  /** The fields, and the names of their columns, as far as known. */
  readonly fields: readonly string[];
  /** For a reference: the models with the foreign key, as far as known. */
  readonly holders?: readonly string[];
  /** Whether this value of a field is at fault, if that depends on the value. */
  readonly isAtFault?: (field: string, value: unknown) => boolean;
}

/** Finds the columns of the constraints and indexes with given names; for foreign keys, also their table. */
const CONSTRAINED_COLUMNS = {
  name: 'constrainedColumns',
  text: `
    SELECT a.attname, CASE WHEN c.contype = 'f' THEN t.relname END FROM pg_constraint c
      JOIN pg_class t ON t.oid = c.conrelid
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
      WHERE c.conname = ANY ($1) AND pg_table_is_visible(c.conrelid)
    UNION
    SELECT a.attname, NULL FROM pg_class i
      JOIN pg_index x ON x.indexrelid = i.oid
      JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
      WHERE i.relname = ANY ($1) AND pg_table_is_visible(i.oid)`,
};

/** Looks up the fields that a violation concerns in the database's catalog. */
export function createViolatedFields(
  pool: Pool,
  models: Models,
): (violation: Violation) => Promise<ViolatedFields> {
  const columns = Object.values(models).flatMap((model) => model.columns);
  /** Fields by the name of their column, which `@map` may change. */
  const fieldsOfColumns = Map.groupBy(columns, ({ column }) => column);
  const namesOf = (column: string): string[] => [
    column,
    ...(fieldsOfColumns.get(column) ?? []).map(({ field }) => field),
  ];

  return async ({ kind, names, message = '', connection, fields: known }) => {
    if (known !== undefined) {
      return { fields: known };
    }
    if (connection !== undefined) {
      const relations = models[connection.model]?.relations ?? [];
      const connected = relations.filter(({ name }) => name === connection.relation);
      return { fields: connected.flatMap(({ field, foreignKey }) => [field, foreignKey]) };
    }
    if (kind === 'range') {
      const limited = await limitedColumns(pool, message);
      const ofName = limited.flatMap((each) =>
        namesOf(each.column).map((name) => ({ name, each })),
      );
      return {
        fields: ofName.map(({ name }) => name),
        isAtFault: (field, value) =>
          ofName.some(({ name, each }) => name === field && !holds(each, value)),
      };
    }
    if (kind === 'null' || names.length === 0) {
      return { fields: names.flatMap(namesOf) };
    }
    const rows = await runStatement(pool, CONSTRAINED_COLUMNS, [names]);
    const fields = rows.flatMap(([column]) => namesOf(column ?? ''));
    const tables = new Set(rows.flatMap(([, table]) => table ?? []));
    const holders = Object.entries(models).filter(([, { table }]) => tables.has(table));
    return { fields, ...(holders.length > 0 && { holders: holders.map(([name]) => name) }) };
  };
}
