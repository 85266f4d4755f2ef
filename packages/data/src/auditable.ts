import { isPlainObject } from './arguments.ts';
import type { Audit } from './audit.ts';

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
export function expectAuditable(audit: Audited, name: string | undefined, args: unknown): void {
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
        `rows of ${other ?? field} can't be written within those of ${model?.name ?? 'another model'}, as their writes are audited: write them by themselves, in $transaction(async (transaction) => …)`,
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
export function expectReadOnly(
  tables: readonly string[],
  method: string,
  args: readonly unknown[],
): void {
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
