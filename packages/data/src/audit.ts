import { type Arguments, isPlainObject, methodNamed } from './calls.ts';
import { ofTransaction, type Rule, withRule } from './guarded-client.ts';
import { keyOf, type Model, type Models, type WriteOperation } from './model.ts';
import { callEngine, callMethod } from './prisma-internals.ts';
import { literal, type Parameter } from './statements.ts';

/** The columns of an audit entry that don't describe the written row: who wrote it, and in which request. */
export interface AuditEntry {
  /** The caller's name, as used in logs and for limits; null for the process itself. */
  readonly caller: string | null;
  /** The id of the caller's API key, if it has one. */
  readonly keyId: bigint | null;
  /** The requested operation, such as the name of a mutation. */
  readonly operation: string | null;
  readonly requestId: string | null;
}

/** Defines which writes are audited. */
interface Audit {
  /** The generated models. */
  readonly models: Models;
  /** The names of the models whose rows are audited. */
  readonly audited: ReadonlySet<string>;
  /** Returns the audit entry for the current write. */
  readonly entry: () => AuditEntry;
}

const COLUMNS = ['caller', 'key_id', 'operation', 'request_id'];

/**
 * The parameters of an audit entry. They come before the values of the audited write.
 *
 * @internal
 */
export const AUDIT: readonly Parameter[] = COLUMNS.map((name) => ({
  name: `audit_${name}`,
  pgType: name === 'key_id' ? 'bigint' : 'text',
}));

/** Returns the parameter values for audit entries; none for writes that aren't audited. */
export function auditLists(
  inputs: readonly { readonly audit?: AuditEntry | undefined }[],
): (string | null)[][] {
  const values = inputs.flatMap(({ audit }) => (audit === undefined ? [] : [auditValues(audit)]));
  return values.length === 0
    ? []
    : COLUMNS.map((_name, index) => values.map((row) => row[index] ?? null));
}

/** Returns the parameter values for one audit entry. */
function auditValues({ caller, keyId, operation, requestId }: AuditEntry): (string | null)[] {
  return [caller, keyId === null ? null : String(keyId), operation, requestId];
}

/**
 * Returns a CTE that records each written row in the audit log, in the same statement.
 *
 * @param id SQL for the row's id; `from` is the FROM clause that provides the id and `requested`
 */
export function auditStage(
  model: Model,
  change: WriteOperation,
  { id, from }: Readonly<Record<'id' | 'from', string>>,
): string {
  const entry = AUDIT.map(({ name }) => `requested.${name}`).join(', ');
  return `audited AS (
      INSERT INTO _gateway_audit_log (${COLUMNS.join(', ')}, change, model, row_id)
      SELECT ${entry}, ${literal(change)}, ${literal(model.name)}, ${id}::text
      FROM ${from}
    )`;
}

const RAW = /^\$(?:execute|query)Raw/;

/**
 * Returns a client that records each written row of audited models in the audit log, in the transaction that writes it. It
 * rejects writes that can't be recorded, so no code can bypass the log.
 *
 * @param client a client extended by `batchedModels`, or the client of one of its interactive transactions
 */
export function auditingClient<Client extends object>(client: Client, audit: Audit): Client {
  const { models, audited, entry } = audit;
  const tables = [...audited].map((name) => tableOf(models, name));
  const names = new Map(Object.keys(models).map((name) => [keyOf(name), name]));

  /** Calls a write method of an audited model. @throws TypeError for a write that can't be recorded */
  const callAudited = (
    delegate: object,
    name: string,
    operation: string,
    given: unknown,
  ): unknown => {
    if (isEmptyUpdate(operation, given)) {
      return callMethod(delegate, operation, [given]);
    }
    const method = methodNamed(operation)?.audited;
    if (method === undefined) {
      throw new TypeError(
        `${name}.${operation} can't be audited: use create, update or delete, which record the row in the audit log`,
      );
    }
    return callMethod(delegate, method, [{ ...(isPlainObject(given) && given), audit: entry() }]);
  };

  const rule: Rule = {
    name: 'audited',
    methodOf: ({ key, delegate, name }) => {
      if (methodNamed(name)?.does === 'read') {
        return undefined;
      }
      const model = names.get(key);
      return (args) => {
        expectAuditable(audit, model, args);
        return model !== undefined && audited.has(model)
          ? callAudited(delegate, model, name, args)
          : callMethod(delegate, name, [args]);
      };
    },
    memberOf: (below, name) => {
      const value: unknown = Reflect.get(below, name);
      if (typeof value !== 'function') {
        return value;
      }
      if (name === '$extends') {
        throw new TypeError("a client whose writes are audited can't be extended");
      }
      return (...args: unknown[]): unknown => {
        if (RAW.test(name)) {
          expectReadOnly(tables, name, args);
        }
        const [body, ...options] = args;
        return name === '$transaction' && isCallback(body)
          ? callMethod(below, name, [
              (transaction: object) => body(ofTransaction(rule, transaction)),
              ...options,
            ])
          : callMethod(below, name, args);
      };
    },
  };
  return withRule(client, rule);
}

/** Whether an update changes nothing, so there is nothing to record. */
function isEmptyUpdate(operation: string, given: unknown): boolean {
  return (
    (operation === 'update' || operation === 'updateOnce') &&
    isPlainObject(given) &&
    isPlainObject(given['data']) &&
    Object.values(given['data']).every((value) => value === undefined)
  );
}

function isCallback(value: unknown): value is (argument: object) => unknown {
  return typeof value === 'function';
}

function tableOf(models: Models, name: string): string {
  const model = models[name];
  if (model === undefined) {
    throw new TypeError(
      `${name} can't be audited, because batched statements don't support this model`,
    );
  }
  return model.table;
}

type Audited = Pick<Audit, 'models' | 'audited'>;

/** The nested writes that only change the row with the foreign key. */
const REFERENCES = new Set(['connect', 'disconnect']);

/** Prisma's nested writes. */
const NESTED = new Set([
  ...REFERENCES,
  'connectOrCreate',
  'create',
  'createMany',
  'delete',
  'deleteMany',
  'set',
  'update',
  'updateMany',
  'upsert',
]);

/**
 * Checks that a write has no nested writes to audited models, which would bypass the audit log.
 *
 * @param name the model's name; undefined if batched statements don't support the model
 * @throws TypeError whose message suggests an alternative
 */
function expectAuditable(audit: Audited, name: string | undefined, args: unknown): void {
  if (isPlainObject(args)) {
    for (const data of [args['data'], args['create'], args['update']]) {
      expectNoNested(audit, name, data);
    }
  }
}

function expectNoNested(audit: Audited, name: string | undefined, data: unknown): void {
  if (Array.isArray(data)) {
    data.forEach((item) => expectNoNested(audit, name, item));
  }
  if (!isPlainObject(data)) {
    return;
  }
  const model = name === undefined ? undefined : audit.models[name];
  for (const [field, value] of Object.entries(data)) {
    if (!isPlainObject(value)) {
      continue;
    }
    const relation = model?.relations.find((each) => each.field === field);
    const operations = Object.keys(value);
    // In an unknown model, anything that looks like a relation counts as one.
    const isRelation =
      model === undefined
        ? operations.some((operation) => NESTED.has(operation))
        : relation !== undefined;
    const onlyRefers =
      relation?.kind === 'one' &&
      operations.every((operation) => value[operation] === undefined || REFERENCES.has(operation));
    if (!isRelation || onlyRefers) {
      continue;
    }
    const other = relation?.model;
    if (other === undefined || audit.models[other] === undefined || audit.audited.has(other)) {
      throw new TypeError(
        `rows of ${other ?? field} can't be written in a nested write of ${model?.name ?? 'a different model'}, because they are audited: write them separately, in $transaction(async (transaction) => …)`,
      );
    }
    for (const nested of Object.values(value).flat()) {
      expectNoNested(audit, other, nested);
      expectAuditable(audit, other, nested);
    }
  }
}

/**
 * Checks that a raw statement doesn't write to audited tables: it must begin with SELECT (a WITH might write) or mention none
 * of these tables.
 *
 * @param args the arguments of Prisma's method: an SQL text, or a template and its values, which may be SQL fragments
 * @throws TypeError whose message suggests an alternative
 */
function expectReadOnly(tables: readonly string[], method: string, args: readonly unknown[]): void {
  const text = args.map(sqlOf).join(' ');
  const lower = text.toLowerCase();
  const table = tables.find((name) => lower.includes(name.toLowerCase()));
  if (table !== undefined && !/^\s*select\b/.test(lower)) {
    throw new TypeError(
      `${method} can't write to ${table}, whose rows are audited: use its model's create, update or delete, or read it with a statement that begins with SELECT`,
    );
  }
}

function sqlOf(part: unknown, index: number): string {
  if (typeof part === 'string') {
    // Only the first argument is SQL: the others are values.
    return index === 0 ? part : '';
  }
  if (Array.isArray(part)) {
    return index === 0 ? part.join(' ') : '';
  }
  const sql: unknown = part instanceof Object ? Reflect.get(part, 'sql') : undefined;
  return typeof sql === 'string' ? sql : '';
}

interface EngineWrite {
  /** The model's name in Prisma's client. */
  readonly key: string;
  readonly model: Model;
  readonly operation: WriteOperation;
  readonly args: Arguments;
  readonly audit: AuditEntry;
}

/**
 * Writes a row with Prisma's engine and records it in the audit log, in one transaction.
 *
 * @param client Prisma's own client, or the client of the transaction that the write belongs to
 */
export async function auditedByEngine(
  client: object,
  write: EngineWrite,
  isOfTransaction: boolean,
): Promise<unknown> {
  const writeIn = async (transaction: object): Promise<unknown> => {
    const { key, model, operation, args, audit } = write;
    const { args: withId, isAdded } = selectingId(args, model.id);
    const written = await callEngine(transaction, key, operation, withId);
    if (!isPlainObject(written)) {
      throw new TypeError(`${model.name}.${operation} returned no row`);
    }
    const { [model.id]: id, ...others } = written;
    await callMethod(transaction, '$executeRawUnsafe', [
      `INSERT INTO _gateway_audit_log (caller, key_id, operation, request_id, change, model, row_id)
      VALUES ($1, $2::bigint, $3, $4, $5, $6, $7)`,
      ...auditValues(audit),
      operation,
      model.name,
      String(id),
    ]);
    return isAdded ? others : written;
  };
  return isOfTransaction ? writeIn(client) : callMethod(client, '$transaction', [writeIn]);
}

/** Adds the id to a call's selection, unless it is already selected. */
function selectingId(args: Arguments, id: string): { args: Arguments; isAdded: boolean } {
  const { select, omit } = args;
  if (isPlainObject(select) && select[id] !== true) {
    return { args: { ...args, select: { ...select, [id]: true } }, isAdded: true };
  }
  if (isPlainObject(omit) && omit[id] === true) {
    return { args: { ...args, omit: { ...omit, [id]: false } }, isAdded: true };
  }
  return { args, isAdded: false };
}
