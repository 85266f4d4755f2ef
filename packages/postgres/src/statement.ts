import type { Statement, TextRow } from '@gateway/batched-prisma/statement';
import type { CustomTypesConfig, Pool, QueryArrayResult } from 'pg';
import { tracer } from '@gateway/telemetry/tracer';
import { timeStatement } from './statement-time.ts';

const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** @throws SERVICE_UNAVAILABLE if the database can't answer */
export async function runStatement(
  pool: Pool,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  const { name } = statement;
  const { rows } = await timeStatement(name, () =>
    tracer.statement(name, () => query(pool, statement, values)),
  );
  return rows;
}

function query(
  pool: Pool,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<QueryArrayResult<(string | null)[]>> {
  return pool.query({ name, text, values: [...values], rowMode: 'array', types: asText });
}
