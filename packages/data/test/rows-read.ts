import type { Statement } from '@store-gateway/ops';
import { Client, escapeLiteral, type Pool } from 'pg';
import { expect, inject } from 'vitest';
import { type ParameterValue, READ_SETTINGS, SHARDED_SETTINGS } from '../src/statements.ts';

/** A node of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` has it. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** How many shards a table has: each may have the rows of a whole page. */
export const SHARDS = inject('isSharded') ? 4 : 1;

/** A connection with the settings of reads, to explain their statements on. */
export async function connectReader(connectionString: string): Promise<Client> {
  const isSharded = inject('isSharded');
  const options = isSharded ? SHARDED_SETTINGS : READ_SETTINGS;
  const client = new Client({ connectionString, options });
  await client.connect();
  if (isSharded) {
    // What coordinators do by themselves they explain over a connection.
    await client.query(
      `SELECT set_config('citus.explain_all_tasks', 'on', false),
        set_config('citus.local_hostname', nodename, false) FROM pg_dist_node WHERE groupid = 0`,
    );
  }
  return client;
}

/** Adds so many authors, with the ids from 1 on, to a store without any. */
export async function addAuthors(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO "Author" (name, email) SELECT 'name ' || n, n || '@example.com'
      FROM generate_series(1, $1::integer) AS n`,
    [count],
  );
}

/** How many rows a result has: objects at any depth. */
export function rowsSent(value: unknown): number {
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, each) => sum + rowsSent(each), 0);
  }
  return typeof value === 'object' && value !== null ? 1 + rowsSent(Object.values(value)) : 0;
}

/** How many rows of tables PostgreSQL reads for a statement, by the plan that its connection keeps. */
export async function rowsRead(
  client: Client,
  statement: Statement,
  parameters: readonly ParameterValue[],
): Promise<number> {
  return inject('isSharded')
    ? rowsInText(await shardedPlanOf(client, statement, parameters))
    : rowsIn(await planOf(client, statement, parameters));
}

/** The same of several statements, but for what is asked once: that reads as many rows as the server has databases. */
export async function rowsReadByAll(
  client: Client,
  statements: readonly {
    readonly statement: Statement;
    readonly parameters: readonly ParameterValue[];
  }[],
): Promise<number> {
  let read = 0;
  for (const { statement, parameters } of statements) {
    read += statement.name.endsWith('.findOrder')
      ? 0
      : await rowsRead(client, statement, parameters);
  }
  return read;
}

/** How many blocks it reads of tables and indexes: also where it goes past entries that no row is read for. */
export async function blocksRead(
  client: Client,
  statement: Statement,
  parameters: readonly ParameterValue[],
): Promise<number> {
  const plan = await planOf(client, statement, parameters);
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

async function planOf(
  client: Client,
  statement: Statement,
  parameters: readonly ParameterValue[],
): Promise<PlanNode> {
  const [plan] = await explain<readonly { readonly Plan: PlanNode }[]>(
    client,
    [statement, parameters],
    'ANALYZE, BUFFERS, FORMAT JSON',
  );
  const [{ Plan } = expect.fail('PostgreSQL has explained nothing')] = plan ?? [];
  return Plan;
}

/** Citus' plan, a line each: its JSON isn't any where a part of it is a statement of its own. */
export function shardedPlanOf(
  client: Client,
  statement: Statement,
  parameters: readonly ParameterValue[],
): Promise<readonly string[]> {
  return explain<string>(client, [statement, parameters], 'ANALYZE, TIMING OFF');
}

async function explain<Line>(
  client: Client,
  [{ text }, parameters]: readonly [Statement, readonly ParameterValue[]],
  options: string,
): Promise<Line[]> {
  await client.query(`PREPARE explained AS ${text}`);
  const values = parameters.map(literalOf).join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': Line }>(
    `EXPLAIN (${options}) EXECUTE explained ${values === '' ? '' : `(${values})`}`,
  );
  await client.query('DEALLOCATE explained');
  return rows.map((row) => row['QUERY PLAN']);
}

/** The rows that scans of tables have read. */
function rowsInText(lines: readonly string[]): number {
  let read = 0;
  let loops = 0;
  for (const line of lines) {
    const [, rows, times] = /\(actual rows=(\d+) loops=(\d+)\)/.exec(line) ?? [];
    if (rows !== undefined) {
      loops = /(?:Seq|Index|Only|Heap) Scan\b.* on /.test(line) ? Number(times) : 0;
      loops = line.includes('Bitmap Index Scan') ? 0 : loops;
    }
    const [, removed] = /Rows Removed by (?:Filter|Index Recheck): (\d+)/.exec(line) ?? [];
    read += Number(rows ?? removed ?? 0) * loops;
  }
  return read;
}

function rowsIn(node: PlanNode): number {
  const given = node['Actual Rows'];
  const left = node['Rows Removed by Filter'] ?? 0;
  const rechecked = node['Rows Removed by Index Recheck'] ?? 0;
  const own =
    node['Relation Name'] === undefined ? 0 : (given + left + rechecked) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsIn(below), own);
}

function literalOf(parameter: ParameterValue): string {
  if (parameter === null) {
    return 'NULL';
  }
  if (typeof parameter === 'string') {
    return escapeLiteral(parameter);
  }
  const elements = parameter.map((value) => (value === null ? 'NULL' : JSON.stringify(value)));
  return escapeLiteral(`{${elements.join(',')}}`);
}
