import { type Arguments, isPlainObject, methodNamed } from './calls.ts';
import { ofTransaction, type Rule, withRule } from './guarded-client.ts';
import { keyOf, type Model, type Models, type WriteOperation } from './model.ts';
import { callEngine, callMethod } from './prisma-internals.ts';
import { literal, type Parameter } from './statements.ts';

/** Whose write it is, and what for: what a row of the audit log says beside the row that was written. */
export interface AuditEntry {
  /** As logs and limits name it; null for the process itself. */
  readonly caller: string | null;
  /** Of the caller's API key, if it has one. */
  readonly keyId: bigint | null;
  /** What was requested, such as a field of Mutation. */
  readonly operation: string | null;
  readonly requestId: string | null;
}

/** Which writes are audited. */
interface Audit {
  /** As the generator has written them. */
  readonly models: Models;
  /** The names of the models whose rows are audited. */
  readonly audited: ReadonlySet<string>;
  /** Of the write that is called now. */
  readonly entry: () => AuditEntry;
}

const COLUMNS = ['caller', 'key_id', 'operation', 'request_id'];

/**
 * Come before the values of what is audited.
 *
 * @internal
 */
export const AUDIT: readonly Parameter[] = COLUMNS.map((name) => ({
  name: `audit_${name}`,
  pgType: name === 'key_id' ? 'bigint' : 'text',
}));

/** The parameters of entries; none of writes that aren't audited. */
export function auditLists(
  inputs: readonly { readonly audit?: AuditEntry | undefined }[],
): (string | null)[][] {
  const values = inputs.flatMap(({ audit }) => (audit === undefined ? [] : [auditValues(audit)]));
  return values.length === 0
    ? []
    : COLUMNS.map((_name, index) => values.map((row) => row[index] ?? null));
}

/** Those of one entry. */
function auditValues({ caller, keyId, operation, requestId }: AuditEntry): (string | null)[] {
  return [caller, keyId === null ? null : String(keyId), operation, requestId];
}

/**
 * A CTE that notes each written row in the same statement.
 *
 * @param id of the row, and where it and `requested` are from
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
 * The client that notes each written row of audited models in the audit log, in the transaction that writes it. What can't be
 * noted is refused, so that no code can forget it.
 *
 * @param client extended by `batchedModels`, or within one of its interactive transactions
 */
export function auditingClient<Client extends object>(client: Client, audit: Audit): Client {
  const { models, audited, entry } = audit;
  const tables = [...audited].map((name) => tableOf(models, name));
  const names = new Map(Object.keys(models).map((name) => [keyOf(name), name]));

  /** A write of an audited model. @throws TypeError for one that can't be noted */
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

/** Whether it changes nothing, so that there is nothing to note. */
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
      `${name} can't be audited, because no statements can be generated for this model`,
    );
  }
  return model.table;
}

type Audited = Pick<Audit, 'models' | 'audited'>;

/** What a nested write may do to the row that refers to another: it changes no other row. */
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
 * Expects a write to have no nested writes of rows of audited models, which nothing would note.
 *
 * @param name of the model, unless statements aren't made from it
 * @throws TypeError that says what to do instead
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
    // Of a model that isn't known, what looks like a relation is one.
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
        `rows of ${other ?? field} can't be written in a nested write of ${model?.name ?? 'another model'}, because they are audited: write them separately, in $transaction(async (transaction) => …)`,
      );
    }
    for (const nested of Object.values(value).flat()) {
      expectNoNested(audit, other, nested);
      expectAuditable(audit, other, nested);
    }
  }
}

/**
 * Expects a raw statement to write no rows of audited tables, as far as its text tells: it names none, or it is a SELECT,
 * which can't begin with a WITH that writes.
 *
 * @param args of Prisma's methods: a text, or a template and its values, whose pieces of SQL count
 * @throws TypeError that says what to do instead
 */
function expectReadOnly(tables: readonly string[], method: string, args: readonly unknown[]): void {
  const text = args.map(sqlOf).join(' ');
  const lower = text.toLowerCase();
  const table = tables.find((name) => lower.includes(name.toLowerCase()));
  if (table !== undefined && !/^\s*select\b/.test(lower)) {
    throw new TypeError(
      `${method} can't write ${table}, whose rows are audited: use create, update or delete of its model; a statement that begins with SELECT may read it`,
    );
  }
}

function sqlOf(part: unknown, index: number): string {
  if (typeof part === 'string') {
    // Only the first is SQL: the others are values.
    return index === 0 ? part : '';
  }
  if (Array.isArray(part)) {
    return index === 0 ? part.join(' ') : '';
  }
  const sql: unknown = part instanceof Object ? Reflect.get(part, 'sql') : undefined;
  return typeof sql === 'string' ? sql : '';
}

interface EngineWrite {
  /** What Prisma's client calls the model. */
  readonly key: string;
  readonly model: Model;
  readonly operation: WriteOperation;
  readonly args: Arguments;
  readonly audit: AuditEntry;
}

/**
 * Writes a row by Prisma's engine, and notes it in the audit log, in one transaction.
 *
 * @param client Prisma's own, or that of the transaction that the write is part of
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

/** The same call, whose row has its id in any case. */
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
