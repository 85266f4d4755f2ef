import type { Statement } from '@store-gateway/ops';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { onFileFinished } from '../../../test/support/clean-up.ts';
import { createDatabase } from '../../../test/support/database.ts';
import { batchedModels, type BatchedModelsOptions } from '../src/batched-models.ts';
import { adaptEngine, ofEngineOnly } from '../src/engine.ts';
import { deduplicatingClient } from '../src/once.ts';
import type { Model } from '../src/model.ts';
import type { DataField } from '../src/visible/rules.ts';
import {
  type ParameterValue,
  READ_SETTINGS,
  runOn,
  type RunStatement,
  type RunTransaction,
  SHARDED_SETTINGS,
} from '../src/statements.ts';
import { models } from './generated/batched-models.ts';
import { PrismaClient } from './generated/client.ts';

/** The error for an idempotency key that was used for a different write. */
export const REUSED = new Error('reused');

/** The error for a replay whose result needs a row that no longer exists. */
export const REMOVED = new Error('removed');

class EngineAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adaptEngine(adapter, () => inject('isSharded'));
    return adapter;
  }
}

/** Unusual date settings of the session, which must not affect the values that are read. */
const ODD_DATES = { DateStyle: 'German,DMY', TimeZone: 'Asia/Tokyo' };

/**
 * Opens a client with the extension and the client that it extends on a new database, and closes them after the file's tests.
 *
 * @param settings settings of the sessions that run statements
 */
export async function openClients(
  settings: Readonly<Record<string, string>> = ODD_DATES,
  database: Parameters<typeof createDatabase>[1] = {},
) {
  const connectionString = await createDatabase(inject('postgresUrl'), database);
  const isSharded = inject('isSharded');
  const given = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const options = [...given, isSharded ? SHARDED_SETTINGS : READ_SETTINGS].join(' ');
  const pool = new Pool({ connectionString, options, max: 4 });
  // The driver adapter assumes that all times are in UTC.
  const enginePool = new Pool({ connectionString, max: 4 });
  await pool.query(await readFile(join(import.meta.dirname, 'schema.sql'), 'utf8'));

  /** The statements and engine calls that ran, in order. */
  const answeredBy: string[] = [];
  /** The calls that statements handled. */
  const answeredCalls: string[] = [];
  /** The statements that were run. */
  const statements: { statement: Statement; parameters: readonly ParameterValue[] }[] = [];
  const recorded =
    (runOnDatabase: RunStatement): RunStatement =>
    async (statement, parameters) => {
      const { name } = statement;
      // On shards, each page and each change in a batch is a statement, and some writes need a statement before them.
      const isAnother =
        (name !== answeredBy.at(-1) || name.includes('findBy')) &&
        !/(?:AsStored|generateIds)$/.test(name);
      if (!isSharded || isAnother) {
        answeredBy.push(name);
      }
      statements.push({ statement, parameters });
      return runOnDatabase(statement, parameters);
    };
  const run = recorded(runOn(pool));
  const engine = new PrismaClient({
    adapter: new EngineAdapter(enginePool),
  }).$extends({
    query: {
      $allOperations: ofEngineOnly(({ model, operation, args, query }) => {
        answeredBy.push(`engine: ${model ?? ''}.${operation}`);
        return query(args);
      }),
    },
  });
  const transaction: RunTransaction = async (begin, body) => {
    const client = await pool.connect();
    try {
      await client.query(begin);
      const result = await body(recorded(runOn(client)));
      await client.query(result === undefined ? 'ROLLBACK' : 'COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };
  const tableOptions: BatchedModelsOptions & { readonly transaction: RunTransaction } = {
    read: run,
    write: run,
    transaction,
    isSharded,
    onAnswer: (model, operation) => answeredCalls.push(`${model}.${operation}`),
  };
  const batched = engine.$extends(batchedModels(engine, models, tableOptions));
  /** Like `batched`, but the database reports that it is PostgreSQL 16. */
  const batchedOnOlder = engine.$extends(
    batchedModels(engine, models, {
      ...tableOptions,
      read: async (statement, parameters) => {
        // Both clients share connections, so their prepared statements need different names.
        const { name, preparedAs = name } = statement;
        const ownName = preparedAs === '' ? '' : `${preparedAs}:16`;
        const rows = await run({ ...statement, preparedAs: ownName }, parameters);
        return statement.name.endsWith('.findOrder') ? [['160004'], ...rows.slice(1)] : rows;
      },
    }),
  );
  /** A client with an idempotency key: each write counts as the first write of a request. */
  const under = (name: string, keyId = 1n) =>
    deduplicatingClient(batched, {
      nextKey: () => ({ keyId, name }),
      reusedError: () => REUSED,
      missingRowError: () => REMOVED,
    });
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    closed ??= engine.$disconnect().then(() => Promise.all([pool.end(), enginePool.end()]));
    await closed;
  };
  onFileFinished(close);
  return {
    engine,
    batched,
    batchedOnOlder,
    under,
    pool,
    connectionString,
    options: tableOptions,
    answeredBy,
    answeredCalls,
    statements,
    close,
  };
}

/** @throws if statements don't support the model */
export function modelOf(name: string): Model {
  const model = models[name];
  assert(model);
  return model;
}

/** Clients that are closed at the end of the test. */
export async function testClients() {
  const clients = await openClients();
  onTestFinished(clients.close);
  return clients;
}

/** Cases for `test.each`: the text of the arguments, and the arguments. JSON doesn't support bigints. */
export function cases<Arguments>(list: readonly Arguments[]): (readonly [string, Arguments])[] {
  return list.map((args) => [inspect(args, { depth: 9, breakLength: Infinity }), args]);
}

/** A text column that is not unique, unless `others` says otherwise. */
export function columnField(name: string, others: Partial<DataField> = {}): DataField {
  return {
    name,
    kind: 'scalar',
    type: 'String',
    isList: false,
    isId: false,
    isUnique: false,
    hasDefaultValue: false,
    ...others,
  };
}
