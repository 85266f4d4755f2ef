import type { Pool } from 'pg';
import { runStatement } from './statement.ts';

/** A column that doesn't hold all values of its kind. */
interface LimitedColumn {
  readonly column: string;
  /** As `character varying(20)`. */
  readonly type: string;
}

/** The columns of a type that a message has in it; if it has none, those of `numeric` with a precision. */
const STATEMENT = {
  name: 'limitedColumns',
  text: `
    WITH columns AS (
      SELECT DISTINCT a.attname, format_type(a.atttypid, a.atttypmod) AS type
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND pg_table_is_visible(c.oid)
    ), told AS (
      SELECT * FROM columns WHERE position(type IN $1) > 0
    )
    SELECT * FROM told
    UNION ALL
    SELECT * FROM columns WHERE type LIKE 'numeric(%' AND NOT EXISTS (SELECT FROM told)`,
};

/** @param message of an error with SQLSTATE 22001 or 22003; in any language it has the type as it is, if it has it at all */
export async function limitedColumns(pool: Pool, message: string): Promise<LimitedColumn[]> {
  const rows = await runStatement(pool, STATEMENT, [message]);
  return rows.map(([column, type]) => ({ column: column ?? '', type: type ?? '' }));
}

const BITS: Readonly<Record<string, bigint>> = { smallint: 15n, integer: 31n, bigint: 63n };

/** Whether a column's type can hold a value; true if that isn't known. */
export function holds({ type }: LimitedColumn, value: unknown): boolean {
  const text = String(value);
  const [, name = '', size = '', scale = '0'] =
    /^([a-z ]+?)(?:\((\d+)(?:,(-?\d+))?\))?$/.exec(type) ?? [];
  const bits = BITS[name];
  if (bits !== undefined) {
    const limit = 1n << bits;
    return !/^-?\d+$/.test(text) || (BigInt(text) < limit && BigInt(text) >= -limit);
  }
  if (name === 'numeric') {
    const [, digits = ''] = /^-?0*(\d*)(?:\.\d*)?$/.exec(text) ?? [];
    return size === '' || digits.length <= Number(size) - Number(scale);
  }
  return size === '' || Array.from(text).length <= Number(size);
}
