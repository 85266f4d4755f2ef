import { escapeLiteral, type Client } from 'pg';
import type { Parameter, Statement } from '../src/statement.ts';

/** A node of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` has it. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of tables PostgreSQL reads for a statement, by the plan that its connection keeps. */
export async function rowsRead(
  client: Client,
  { text }: Statement,
  parameters: readonly Parameter[],
): Promise<number> {
  await client.query(`PREPARE explained AS ${text}`);
  const values = parameters.map(literalOf).join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained (${values})`,
  );
  await client.query('DEALLOCATE explained');
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  if (plan === undefined) {
    throw new Error('PostgreSQL has explained nothing');
  }
  return rowsIn(plan.Plan);
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
