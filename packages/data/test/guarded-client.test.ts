import { expect, test } from 'vitest';
import { isPlainObject } from '../src/calls.ts';
import { callMethod, isMissingRow } from '../src/prisma-internals.ts';
import { auditingClient } from '../src/audit.ts';
import { deduplicatingClient } from '../src/once.ts';
import { visibleRows } from '../src/visible/visible-rows.ts';
import { columnField, openClients } from './clients.ts';
import { models } from './generated/batched-models.ts';

/* Compares each call, for each caller and combination of rules, with a simple model of the rules. */

const { batched, pool } = await openClients();
await pool.query(`CREATE TABLE _gateway_audit_log (
  caller text, key_id bigint, operation text, request_id text, change text, model text, row_id text
)`);

interface Author {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

const ROWS: readonly Author[] = [
  { id: 1, name: 'own', email: '1' },
  { id: 2, name: 'other', email: '2' },
  { id: 3, name: 'own', email: '3' },
];

async function restore(): Promise<void> {
  await pool.query('DELETE FROM "Author"; DELETE FROM _gateway_audit_log');
  await pool.query('DELETE FROM _gateway_idempotency_keys');
  for (const { id, name, email } of ROWS) {
    const values = [id, name, email];
    await pool.query('INSERT INTO "Author" (id, name, email) VALUES ($1, $2, $3)', values);
  }
  await pool.query(`SELECT setval(pg_get_serial_sequence('"Author"', 'id'), $1, false)`, [NEW.id]);
}

const NEW: Author = { id: 9, name: 'own', email: '9' };

const RULES = ['once', 'visible', 'audited'] as const;
type RuleName = (typeof RULES)[number];

const CALLERS = ['all', 'own', 'none'] as const;
type Caller = (typeof CALLERS)[number];

const sees = (caller: Caller, { name }: Pick<Author, 'name'>): boolean =>
  caller === 'all' || (caller === 'own' && name === 'own');

const REFUSED_VALUE = new Error('value');

const visibleTo = (client: typeof batched, caller: Caller) =>
  visibleRows(client, {
    models: {
      Author: {
        fields: [
          columnField('id', { type: 'Int', isId: true }),
          columnField('name'),
          columnField('email'),
        ],
        primaryKey: null,
        uniqueIndexes: [],
      },
    },
    rules: {
      Author: {
        columns: ['name'],
        where: () => (caller === 'own' ? { name: 'own' } : caller === 'all'),
      },
    },
    refusals: { value: () => REFUSED_VALUE, reference: () => new Error('reference') },
  })(undefined);

/** Applies the rules in the given order, which must not affect the order in which they check a call. */
function clientOf(rules: readonly RuleName[], caller: Caller): typeof batched {
  const apply: Record<RuleName, (client: typeof batched) => typeof batched> = {
    once: (client) => {
      return deduplicatingClient(client, {
        nextKey: () => ({ keyId: 1n, name: 'key' }),
        reusedError: () => new Error('reused'),
        missingRowError: () => new Error('gone'),
      });
    },
    visible: (client) => visibleTo(client, caller),
    audited: (client) =>
      auditingClient(client, {
        models,
        audited: new Set(['Author']),
        entry: () => ({ caller: 'ann', keyId: null, operation: 'test', requestId: 'r' }),
      }),
  };
  return rules.reduce((client, rule) => apply[rule](client), batched);
}

/** A call, and its effect on the rows that its caller can see. */
interface Call {
  readonly method: string;
  readonly args: object;
  /** The result of the call if it is allowed; `changed` returns the rows that it leaves. */
  readonly answer: (rows: readonly Author[]) => unknown;
  readonly changed?: (rows: readonly Author[]) => readonly Author[];
}

const DATA = { name: NEW.name, email: NEW.email };

const one = (rows: readonly Author[], id: number): Author | 'missing' =>
  rows.find((row) => row.id === id) ?? 'missing';

const renamed = (rows: readonly Author[], ...ids: readonly number[]): readonly Author[] =>
  rows.map((row) => (ids.includes(row.id) ? { ...row, email: `new ${row.id}` } : row));

const orNull = (row: unknown): unknown => (row === 'missing' ? null : row);

const BY_ID = { orderBy: { id: 'asc' } };

const reads = (id: number): Call[] => [
  { method: 'findUnique', args: { where: { id } }, answer: (rows) => orNull(one(rows, id)) },
  { method: 'findUniqueOrThrow', args: { where: { id } }, answer: (rows) => one(rows, id) },
  { method: 'findFirst', args: { where: { id } }, answer: (rows) => orNull(one(rows, id)) },
  { method: 'findFirstOrThrow', args: { where: { id } }, answer: (rows) => one(rows, id) },
];

const changes = (id: number): Call[] => [
  {
    method: 'update',
    args: { where: { id }, data: { email: `new ${id}` } },
    answer: (rows) => one(renamed(rows, id), id),
    changed: (rows) => renamed(rows, id),
  },
  {
    method: 'delete',
    args: { where: { id } },
    answer: (rows) => one(rows, id),
    changed: (rows) => rows.filter((row) => row.id !== id),
  },
];

const CALLS: readonly Call[] = [
  ...[1, 2, 7].flatMap((id) => reads(id).concat(changes(id))),
  { method: 'findMany', args: { ...BY_ID, take: 5 }, answer: (rows) => rows },
  { method: 'count', args: {}, answer: (rows) => rows.length },
  {
    method: 'aggregate',
    args: { _max: { id: true } },
    answer: (rows) => ({ _max: { id: rows.at(-1)?.id ?? null } }),
  },
  {
    method: 'groupBy',
    args: { by: ['name'], _count: true, orderBy: { name: 'asc' }, take: 5 },
    answer: (rows) =>
      ['other', 'own'].flatMap((name) => {
        const count = rows.filter((row) => row.name === name).length;
        return count === 0 ? [] : [{ _count: count, name }];
      }),
  },
  { method: 'create', args: { data: DATA }, answer: () => NEW, changed: (rows) => [...rows, NEW] },
  {
    method: 'createMany',
    args: { data: [DATA] },
    answer: () => ({ count: 1 }),
    changed: (rows) => [...rows, NEW],
  },
  {
    method: 'createManyAndReturn',
    args: { data: [DATA] },
    answer: () => [NEW],
    changed: (rows) => [...rows, NEW],
  },
  {
    method: 'updateMany',
    args: { where: { id: 2 }, data: { email: 'new 2' } },
    answer: (rows) => ({ count: rows.filter(({ id }) => id === 2).length }),
    changed: (rows) => renamed(rows, 2),
  },
  {
    method: 'updateManyAndReturn',
    args: { where: { id: 2 }, data: { email: 'new 2' } },
    answer: (rows) => renamed(rows, 2).filter(({ id }) => id === 2),
    changed: (rows) => renamed(rows, 2),
  },
  {
    method: 'deleteMany',
    args: { where: { id: { in: [1, 2] } } },
    answer: (rows) => ({ count: rows.filter(({ id }) => id < 3).length }),
    changed: (rows) => rows.filter(({ id }) => id > 2),
  },
  {
    method: 'upsert',
    args: { where: { id: 1 }, create: DATA, update: { email: 'new 1' } },
    answer: (rows) => one(renamed(rows, 1), 1),
    changed: (rows) => renamed(rows, 1),
  },
];

const OF_ONE = new Set(['create', 'update', 'delete']);

/** How a call is rejected, if a rule rejects it. Idempotency keys and audit entries require writes of a single row. */
function refusal(
  { method, changed }: Call,
  rules: readonly RuleName[],
  caller: Caller,
): 'refused' | 'value' | undefined {
  const isOfMany = changed !== undefined && !OF_ONE.has(method);
  if (isOfMany && rules.includes('once')) {
    return 'refused';
  }
  if (rules.includes('visible') && caller !== 'all' && method === 'upsert') {
    return 'refused';
  }
  if (rules.includes('visible') && method.startsWith('create') && !sees(caller, NEW)) {
    return 'value';
  }
  return isOfMany && rules.includes('audited') ? 'refused' : undefined;
}

/** The result that a call must return, and the rows and number of audit entries that it must leave. */
function expected(call: Call, rules: readonly RuleName[], caller: Caller) {
  const isSeen = (row: Author) => !rules.includes('visible') || sees(caller, row);
  const seen = ROWS.filter(isSeen);
  const hidden = ROWS.filter((row) => !isSeen(row));
  const refused = refusal(call, rules, caller);
  if (refused !== undefined) {
    return { answer: refused, rows: ROWS, notes: 0 };
  }
  const answer = call.answer(seen);
  const rows = [...hidden, ...(call.changed?.(seen) ?? seen)];
  const isNoted = rules.includes('audited') && call.changed !== undefined && answer !== 'missing';
  return { answer, rows: rows.toSorted((a, b) => a.id - b.id), notes: isNoted ? 1 : 0 };
}

async function answerOf(client: object, { method, args }: Call): Promise<unknown> {
  try {
    return await callMethod(Reflect.get(client, 'author'), method, [args]);
  } catch (error) {
    if (error === REFUSED_VALUE) {
      return 'value';
    }
    if (error instanceof TypeError) {
      return 'refused';
    }
    return isMissingRow(error) ? 'missing' : error;
  }
}

async function left() {
  const { rows } = await pool.query<Author>('SELECT id, name, email FROM "Author" ORDER BY id');
  const notes = await pool.query('SELECT FROM _gateway_audit_log');
  return { rows, notes: notes.rowCount };
}

/** Sets of rules, applied in orders that differ from the order in which they check calls. */
const SETS: readonly (readonly RuleName[])[] = [
  [],
  ['once'],
  ['visible'],
  ['audited'],
  ['once', 'visible'],
  ['visible', 'audited'],
  ['once', 'audited'],
  ['once', 'visible', 'audited'],
  ['audited', 'once', 'visible'],
];

/** The outcomes of a call: the first time, repeated, and repeated after all rows are hidden from the caller `own`. */
async function history(client: object, call: Call, isRepeated: boolean) {
  const first = { answer: await answerOf(client, call), ...(await left()) };
  if (!isRepeated) {
    return [first];
  }
  const again = { answer: await answerOf(client, call), ...(await left()) };
  await pool.query(`UPDATE "Author" SET name = 'other'`);
  return [first, again, await answerOf(client, call)];
}

/** The expected outcomes: the call runs only once, and a row that has become hidden isn't returned. */
function expectedHistory(call: Call, rules: readonly RuleName[], caller: Caller) {
  const first = expected(call, rules, caller);
  const isShown = caller !== 'own' || call.method === 'delete' || typeof first.answer === 'string';
  return isRepeatable(call, rules) ? [first, first, isShown ? first.answer : 'missing'] : [first];
}

function isRepeatable({ changed }: Call, rules: readonly RuleName[]): boolean {
  return rules.includes('once') && changed !== undefined;
}

test.each(
  CALLS.map((call) => {
    const where = isPlainObject(call.args) ? JSON.stringify(call.args['where'] ?? {}) : '';
    return [`${call.method} ${where}`, call] as const;
  }),
)('%s follows every combination of rules for every caller', async (_name, call) => {
  const answered = [];
  const right = [];
  for (const rules of SETS) {
    for (const caller of rules.includes('visible') ? CALLERS : (['all'] as const)) {
      await restore();
      const of = `${rules.join()} to ${caller}`;
      const client = clientOf(rules, caller);
      answered.push({ of, history: await history(client, call, isRepeatable(call, rules)) });
      right.push({ of, history: expectedHistory(call, rules, caller) });
    }
  }
  expect(answered).toEqual(right);
});

test("a call that a rule doesn't support is rejected, and no member of the client bypasses the rules", () => {
  const client = clientOf(RULES, 'own');
  expect(() => client.$queryRaw`SELECT 1`).toThrow(
    "$queryRaw can't be called under an idempotency key",
  );
  const visible = clientOf(['audited', 'visible'], 'own');
  expect(() => visible.$queryRaw`SELECT 1`).toThrow('$queryRaw would bypass the rules');
  expect(() => callMethod(visible.author, 'createAudited', [])).toThrow(
    'author.createAudited would bypass the rules for visible rows: use the client that sees all rows',
  );
  expect([Reflect.get(visible.author, '$parent'), Reflect.get(visible, 'then')]).toEqual([
    undefined,
    undefined,
  ]);
});
