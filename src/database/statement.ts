import type { CustomTypesConfig, Pool } from 'pg';
import { asUnavailable } from './failure.ts';

/** A statement that each connection prepares once, by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Columns in their order, each as PostgreSQL spells its value. */
export type TextRow = readonly (string | null)[];

const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** @throws SERVICE_UNAVAILABLE if the database can't answer */
export async function runStatement(
  pool: Pool,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  try {
    const { rows } = await pool.query<(string | null)[]>({
      name,
      text,
      values: [...values],
      rowMode: 'array',
      types: asText,
    });
    return rows;
  } catch (error) {
    throw asUnavailable(error);
  }
}
