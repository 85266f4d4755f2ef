import { randomUUID } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { membersOf } from '../src/calls.ts';
import { callEngine } from '../src/prisma-internals.ts';
import { openClients } from './clients.ts';

/** A call of a client's method: its model, the method, and the arguments. */
export type Call = readonly [model: string, operation: string, args: object];

type Client = Awaited<ReturnType<typeof openClients>>['batched'];

/** What a call has come to: a result, or the parts of an error that callers may depend on. */
export async function outcomeOf(client: Client, [model, operation, args]: Call): Promise<object> {
  try {
    return { result: await callEngine(client, model, operation, args) };
  } catch (error) {
    const [name, message] = [at(error, 'name'), String(at(error, 'message'))];
    const { modelName, operation: what, ...others } = { ...membersOf(at(error, 'meta')) };
    return {
      name,
      code: at(error, 'code'),
      meta: { modelName, what, names: Object.keys(others) },
      cause: inspect(at(others, 'driverAdapterError', 'cause')).replaceAll(...NARROWER),
      // Lines before the last are an excerpt of the caller's source, and the arguments.
      text:
        name === 'PrismaClientValidationError'
          ? ''
          : message.replaceAll(...NARROWER).replace(/^.*\n/s, ''),
    };
  }
}

/** Statements send a number as the type that the schema says, also where a column is of a narrower one. */
const NARROWER = [
  /value "-?\d+" is out of range for type smallint/g,
  'smallint out of range',
] as const;

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (inner instanceof Object ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** What tells results apart: also types, the order of keys, and -0. */
function textOf(outcome: object): string {
  const all = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
  return inspect(outcome, { ...all, breakLength: Infinity });
}

function expectSameOutcome(call: Call, own = {}, other = {}, isReplay = false): void {
  // A replay has the keys of JSON in the order of jsonb.
  const isSame = isReplay || textOf(own) === textOf(other);
  if (!isSame || !isDeepStrictEqual(own, other)) {
    expect([call, own]).toStrictEqual([call, other]);
    expect([call, textOf(own)]).toEqual([call, textOf(other)]);
    expect.fail('the values are the same, but not the objects');
  }
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(await run(item));
  }
  return results;
}

/**
 * How the extended client's calls are made that statements answer: at a time, so that they are batches; at a time, and writes
 * under idempotency keys, then all once more; or one after the other.
 */
export type Way = 'together' | 'under keys' | 'alone';

const WRITES = new Set(['create', 'update', 'delete']);

/** Two equal databases: calls of Prisma's engine alone change one, and those of the extended client the other. */
export async function openBoth(way: Way, ...database: Parameters<typeof openClients>) {
  const theirs = await openClients(...database);
  const ours = await openClients(...database);

  /** Makes the same calls of both clients, and compares what they come to. */
  async function expectSame(calls: readonly Call[], by: 'statements' | 'engine'): Promise<void> {
    const expected = await inTurn(calls, (call) => outcomeOf(theirs.engine, call));
    ours.answeredBy.length = 0;
    ours.answeredCalls.length = 0;
    const isByStatements = by === 'statements';
    const runs = calls.map((call) => {
      const isKeyed = isByStatements && way === 'under keys' && WRITES.has(call[1]);
      const client = isKeyed ? ours.under(randomUUID()) : ours.batched;
      return () => outcomeOf(client, call);
    });
    let answers = 0;
    for (const isReplay of isByStatements && way === 'under keys' ? [false, true] : [false]) {
      const found =
        isByStatements && way !== 'alone'
          ? await Promise.all(runs.map((run) => run()))
          : // Prisma's client would combine finds.
            await inTurn(runs, (run) => run());
      for (const [index, call] of calls.entries()) {
        expectSameOutcome(call, found[index], expected[index], isReplay);
      }
      // PostgreSQL's refusals aren't answers.
      answers += found.filter((each) => 'result' in each || at(each, 'code') === 'P2025').length;
    }
    expect({
      engine: ours.answeredBy.filter((name) => name.startsWith('engine')).length,
      statements: ours.answeredCalls.length,
    }).toEqual({
      engine: isByStatements ? 0 : calls.length,
      statements: isByStatements ? answers : 0,
    });
  }

  /** Runs SQL on both databases. @returns the rows */
  async function query(sql: string): Promise<unknown[][]> {
    const [own, other] = await Promise.all([ours.pool.query(sql), theirs.pool.query(sql)]);
    return [own.rows, other.rows];
  }

  /** The rows of a table on both databases, as texts, which it removes. */
  async function takeRows(table: string): Promise<unknown[][]> {
    // The engine writes 1e21 where JavaScript writes 1e+21.
    const rows = `SELECT replace(stored::text, 'e+', 'e') FROM "${table}" AS stored ORDER BY 1`;
    const found = await query(rows);
    await query(`DELETE FROM "${table}"`);
    return found;
  }

  const close = async () => {
    await Promise.all([theirs.close(), ours.close()]);
  };
  return { ours, expectSame, takeRows, query, close };
}
