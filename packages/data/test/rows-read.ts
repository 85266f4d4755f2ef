import type { Statement } from '@store-gateway/ops';
import { Client, escapeLiteral, type Pool } from 'pg';
import { expect, inject } from 'vitest';
import { type ParameterValue, READ_SETTINGS, SHARDED_SETTINGS } from '../src/statements.ts';

/** A node of a query plan in the output of `EXPLAIN (ANALYZE, FORMAT JSON)`. */
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

/** The number of shards of a table. Each may contain a whole page's rows. */
export const SHARDS = inject('isSharded') ? 4 : 1;

/** Opens a connection with the session settings of reads, on which to EXPLAIN their statements. */
export async function connectReader(connectionString: string): Promise<Client> {
  const isSharded = inject('isSharded');
  const options = isSharded ? SHARDED_SETTINGS : READ_SETTINGS;
  const client = new Client({ connectionString, options });
  await client.connect();
  if (isSharded) {
    // To explain the tasks that it runs itself, the coordinator connects to itself.
    await client.query(
      `SELECT set_config('citus.explain_all_tasks', 'on', false),
        set_config('citus.local_hostname', nodename, false) FROM pg_dist_node WHERE groupid = 0`,
    );
  }
  return client;
}

/** Adds authors with the ids 1 to `count` to a store that has none. */
export async function addAuthors(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO "Author" (name, email) SELECT 'name ' || n, n || '@example.com'
      FROM generate_series(1, $1::integer) AS n`,
    [count],
  );
}

/** The number of rows in a result: its objects at any depth. */
export function rowsSent(value: unknown): number {
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, each) => sum + rowsSent(each), 0);
  }
  return typeof value === 'object' && value !== null ? 1 + rowsSent(Object.values(value)) : 0;
}

/** The number of table rows that PostgreSQL reads for a statement with the session's plan settings. */
export async function rowsRead(
  client: Client,
  statement: Statement,
  parameters: readonly ParameterValue[],
): Promise<number> {
  return inject('isSharded')
    ? rowsInText(await shardedPlanOf(client, statement, parameters))
    : rowsIn(await planOf(client, statement, parameters));
}

/** Like `rowsRead` for several statements, without `findOrder`, which runs once and reads a row per database. */
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

/** The number of table and index blocks that a statement reads, even for index entries that it skips. */
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

/** The lines of Citus' plan as text. Its JSON is invalid if a part of the plan is a separate statement. */
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

/** The number of rows that table scans read. */
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
