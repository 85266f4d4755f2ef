import { isPlainObject } from './arguments.ts';
import type { Audit } from './audit.ts';
import { callMethod } from './engine.ts';
import { ofTransaction, type Rule, withRule } from './guarded-client.ts';
import { methodNamed } from './methods.ts';
import { keyOf, type Models } from './model.ts';

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
