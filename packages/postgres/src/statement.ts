import type { Statement, TextRow } from '@gateway/batched-prisma/statement';
import type { CustomTypesConfig, Pool, QueryArrayResult } from 'pg';
import { tracer } from '@gateway/telemetry/tracer';
import { asUnavailable } from './failure.ts';
import { statementEnds } from './statement-time.ts';

const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** @throws SERVICE_UNAVAILABLE if the database can't answer */
export async function runStatement(
  pool: Pool,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  const { name } = statement;
  const started = performance.now();
  try {
    const { rows } = await tracer.statement(name, () => query(pool, statement, values));
    statementEnds(name, started);
    return rows;
  } catch (thrown) {
    const error = asUnavailable(thrown);
    statementEnds(name, started, error);
    throw error;
  }
}

function query(
  pool: Pool,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<QueryArrayResult<(string | null)[]>> {
  return pool.query({ name, text, values: [...values], rowMode: 'array', types: asText });
}
