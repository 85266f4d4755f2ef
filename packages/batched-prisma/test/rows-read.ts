import { Client, escapeLiteral, type Pool } from 'pg';
import { READ_SETTINGS } from '../src/session-settings.ts';
import type { Parameter, Statement } from '../src/statement.ts';

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

/** A connection with the settings of reads, to explain their statements on. */
export async function connectReader(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, options: READ_SETTINGS });
  await client.connect();
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
  parameters: readonly Parameter[],
): Promise<number> {
  return rowsIn(await planOf(client, statement, parameters));
}

/** How many blocks it reads of tables and indexes: also where it goes past entries that no row is read for. */
export async function blocksRead(
  client: Client,
  statement: Statement,
  parameters: readonly Parameter[],
): Promise<number> {
  const plan = await planOf(client, statement, parameters);
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

async function planOf(
  client: Client,
  { text }: Statement,
  parameters: readonly Parameter[],
): Promise<PlanNode> {
  await client.query(`PREPARE explained AS ${text}`);
  const values = parameters.map(literalOf).join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained (${values})`,
  );
  await client.query('DEALLOCATE explained');
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  if (plan === undefined) {
    throw new Error('PostgreSQL has explained nothing');
  }
  return plan.Plan;
}

function rowsIn(node: PlanNode): number {
  const given = node['Actual Rows'];
  const left = node['Rows Removed by Filter'] ?? 0;
  const rechecked = node['Rows Removed by Index Recheck'] ?? 0;
  const own =
    node['Relation Name'] === undefined ? 0 : (given + left + rechecked) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsIn(below), own);
}

function literalOf(parameter: Parameter): string {
  if (parameter === null) {
    return 'NULL';
  }
  if (typeof parameter === 'string') {
    return escapeLiteral(parameter);
  }
  const elements = parameter.map((value) => (value === null ? 'NULL' : JSON.stringify(value)));
  return escapeLiteral(`{${elements.join(',')}}`);
}
