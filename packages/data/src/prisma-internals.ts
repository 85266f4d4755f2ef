import packageJson from '@prisma/client/package.json' with { type: 'json' };
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { isJsonObject } from '@store-gateway/ops';

/*
 * All uses of Prisma's private API are in this file. Prisma 7 has no public API that exposes a client's extensions, whether a
 * call belongs to a transaction, or its adapters' errors. test/bypassed.test.ts, test/refused-batches.test.ts and the store's
 * test/database/scalars.test.ts fail if a Prisma release changes this API.
 */

/** Returns the callbacks of a client's query extensions for an operation on a model. */
export function queryCallbacks(client: object, key: string, operation: string): readonly object[] {
  return askExtensions(client, 'getAllQueryCallbacks', [key, operation]);
}

/** Returns the names of the fields that a client's result extensions compute for a model. */
export function computedFields(client: object, key: string): readonly string[] {
  return askExtensions(client, 'getAllComputedFields', [key]).map((computed) =>
    String(Reflect.get(computed, 'name')),
  );
}

/** Returns the fields of a model that a client omits unless they are selected. */
export function omittedFields(client: object, key: string): readonly string[] {
  const omitted: unknown = Reflect.get(client, '_globalOmit');
  const ofModel = isJsonObject(omitted) ? omitted[key] : undefined;
  return Object.entries(isJsonObject(ofModel) ? ofModel : {}).flatMap(([field, isOmitted]) =>
    isOmitted === true ? [field] : [],
  );
}

/** Whether the call that a query extension receives belongs to a transaction. */
export function isOfTransaction(call: object): boolean {
  const internal: unknown = Reflect.get(call, '__internalParams');
  return internal instanceof Object && Reflect.get(internal, 'transaction') !== undefined;
}

const CONFLICT =
  'Transaction failed due to a write conflict or a deadlock. Please retry your transaction';

/** The SQLSTATEs that Prisma maps to its own error codes (@prisma/adapter-pg, errors.ts). */
const KINDS: Readonly<Record<string, readonly [code: string, kind: string, message: string]>> = {
  '22001': [
    'P2000',
    'LengthMismatch',
    "The provided value for the column is too long for the column's type",
  ],
  '22003': ['P2020', 'ValueOutOfRange', 'Value out of range for the type'],
  '22P02': ['P2007', 'InvalidInputValue', 'Invalid input value'],
  '23001': ['P2003', 'RestrictViolation', 'Foreign key constraint violated'],
  '23502': ['P2011', 'NullConstraintViolation', 'Null constraint violation'],
  '23503': ['P2003', 'ForeignKeyConstraintViolation', 'Foreign key constraint violated'],
  '23505': ['P2002', 'UniqueConstraintViolation', 'Unique constraint failed'],
  '40001': ['P2034', 'TransactionWriteConflict', CONFLICT],
  '40P01': ['P2034', 'TransactionWriteConflict', CONFLICT],
};

/**
 * Converts an error from node-postgres to the error that Prisma's client throws, with the same code and meta, but without the
 * excerpt of the caller's source in the message. Returns any other error unchanged.
 */
function requestError(error: unknown, modelName: string): unknown {
  const { code, message, severity, detail, column, hint, constraint, table } = fieldsOf(error);
  if (code === undefined || message === undefined || severity === undefined) {
    return error;
  }
  const [own, kind, text] = KINDS[code] ?? [];
  const fields = /Key \(([^)]+)\)/.exec(detail ?? '')?.[1]?.split(', ');
  const named = constraint === undefined ? undefined : { index: constraint };
  const ofKey = fields && { fields };
  const ofColumn = column === undefined ? named : { fields: [column] };
  const [others, place] = new Map<string | undefined, readonly [details: object, place: string]>([
    ['LengthMismatch', [{ column }, `. Column: ${column ?? UNKNOWN}`]],
    ['ValueOutOfRange', [{ cause: message }, `: ${message}`]],
    ['InvalidInputValue', [{ message }, `: ${message}`]],
    ['UniqueConstraintViolation', [{ constraint: named ?? ofKey, table }, onThe(named ?? ofKey)]],
    ['NullConstraintViolation', [{ constraint: ofKey }, onThe(ofKey)]],
    ['ForeignKeyConstraintViolation', [{ constraint: ofColumn }, onThe(ofColumn)]],
    ['RestrictViolation', [{ constraint: ofColumn }, onThe(ofColumn)]],
    ['TransactionWriteConflict', [{}, '']],
  ]).get(kind) ?? [{ code, severity, message, detail, column, hint }, ''];
  const cause = {
    originalCode: code,
    originalMessage: message,
    kind: kind ?? 'postgres',
    ...others,
  };
  const driverAdapterError = Object.assign(new Error(cause.kind, { cause }), {
    name: 'DriverAdapterError',
  });
  return new PrismaClientKnownRequestError(
    text === undefined
      ? `Database error. Code: \`${code}\`. Message: \`${message}\``
      : `${text}${place}`,
    {
      code: own ?? 'P2039',
      clientVersion: packageJson.version,
      meta: { modelName, driverAdapterError },
    },
  );
}

/**
 * Returns the error for a rejected write. It is Prisma's error if the write's values are at fault, or if the write conflicted
 * with another transaction; in both cases, the write had no effect. Any other error is returned unchanged.
 */
export function writeError(
  error: unknown,
  modelName: string,
  isFault: (error: unknown) => boolean,
): unknown {
  const hasLost = /^40(?:001|P01)$/.test(fieldsOf(error)['code'] ?? '');
  return hasLost || isFault(error) ? requestError(error, modelName) : error;
}

/** Whether an error from node-postgres reports that a row with the same unique values exists. */
export function isUniqueViolation(error: unknown): boolean {
  return fieldsOf(error)['code'] === '23505';
}

const UNKNOWN = '(not available)';

/** Returns where a constraint was violated, worded like Prisma's messages. */
function onThe(constraint: { fields?: readonly string[]; index?: string } = {}): string {
  const { fields, index } = constraint;
  const named = index === undefined ? UNKNOWN : `constraint: \`${index}\``;
  return ` on the ${fields === undefined ? named : `fields: (${fields.map((field) => `\`${field}\``).join(', ')})`}`;
}

const OPERATIONS = {
  query: 'a query',
  create: 'a create',
  update: 'an update',
  delete: 'a delete',
};

/**
 * Returns a row, and checks that it exists.
 *
 * @throws the error that Prisma's client throws for a missing row, without an excerpt of the caller's source
 */
export function presentRow<Found>(
  row: Found | null | undefined,
  operation: keyof typeof OPERATIONS,
  modelName: string,
): Found {
  if (row !== null && row !== undefined) {
    return row;
  }
  const what = OPERATIONS[operation];
  throw new PrismaClientKnownRequestError(
    `An operation failed because it depends on one or more records that were required but not found. No record was found for ${what}.`,
    {
      code: 'P2025',
      clientVersion: packageJson.version,
      meta: { modelName, operation: what },
    },
  );
}

/** Whether an error is the one that Prisma's client throws for a missing row. */
export function isMissingRow(error: unknown): boolean {
  return error instanceof PrismaClientKnownRequestError && error.code === 'P2025';
}

/** Returns the fields of PostgreSQL's error message. */
function fieldsOf(error: unknown): Readonly<Record<string, string | undefined>> {
  if (!(error instanceof Error)) {
    return {};
  }
  const names = ['code', 'message', 'severity', 'detail', 'column', 'hint', 'constraint', 'table'];
  return Object.fromEntries(
    names.map((name) => {
      const value: unknown = Reflect.get(error, name);
      return [name, typeof value === 'string' ? value : undefined];
    }),
  );
}

/** Returns the JSON text of a value in Prisma's wire format; undefined for any other value. */
export function textOfJson(value: unknown): string | undefined {
  const toJSON: unknown = value instanceof Object ? Reflect.get(value, 'toJSON') : undefined;
  const given: unknown =
    typeof toJSON === 'function' ? Reflect.apply(toJSON, value, []) : undefined;
  return isJsonObject(given) && given['$type'] === 'Json' && typeof given['value'] === 'string'
    ? given['value']
    : undefined;
}

function askExtensions(client: object, method: string, args: readonly string[]): readonly object[] {
  const answer = callMethod(Reflect.get(client, '_extensions'), method, args);
  return answer instanceof Object
    ? Object.entries(answer).flatMap(([, each]: [string, unknown]) =>
        each instanceof Object ? [each] : [],
      )
    : [];
}

/**
 * Calls a method of a model of Prisma's own client.
 *
 * @returns Prisma's promise, which runs when it is awaited, or as an element of a transaction
 */
export function callEngine(
  client: object,
  model: string,
  operation: string,
  args: unknown,
): unknown {
  return callMethod(Reflect.get(client, model), operation, [args]);
}

/**
 * Calls a method whose type isn't known, because it is generated or internal to Prisma.
 *
 * @throws TypeError if the method is missing
 */
export function callMethod(target: unknown, name: string, args: readonly unknown[]): unknown {
  const method: unknown = target instanceof Object ? Reflect.get(target, name) : undefined;
  if (typeof method !== 'function') {
    throw new TypeError(`this version of Prisma's client has no ${name}`);
  }
  return Reflect.apply(method, target, args) satisfies unknown;
}
