import type { Client } from 'pg';

/** A table that is to be distributed. */
export interface TableToDistribute {
  /** In messages. */
  readonly name: string;
  readonly table: string;
  readonly id: string;
  /** The column whose value says which shard has a row; undefined if each node is to have all rows. */
  readonly by: string | undefined;
  /** The table whose ids that column has. */
  readonly beside: string | undefined;
}

interface State {
  /** Null if Citus doesn't know the table. */
  readonly isReference: boolean | null;
  readonly distributedBy: string | null;
  readonly isInKey: boolean;
}

/**
 * Whether a table is distributed already, or its primary key has to change first.
 *
 * @param references tables that will be on each node
 * @returns why it can't be distributed, if it can't
 */
export async function stateOf(
  session: Client,
  { name, table, id, by }: TableToDistribute,
  references: readonly string[],
): Promise<'done' | 'lacks its key' | 'ready' | { readonly fault: string }> {
  const values = [table, by ?? null];
  const [state] = (await session.query<State>(STATE, values)).rows;
  if (state === undefined) return { fault: `${name} has no table; apply the migrations first` };
  const { isReference, distributedBy, isInKey } = state;
  if (isReference === true || distributedBy !== null) {
    const isDone = isReference === (by === undefined) && distributedBy === (by ?? null);
    return isDone ? 'done' : { fault: `${name} is distributed otherwise already` };
  }
  const { rows } = await session.query<{ obstacle: string }>(OBSTACLES, [
    ...values,
    id,
    references,
  ]);
  return rows[0] === undefined
    ? isInKey || by === undefined
      ? 'ready'
      : 'lacks its key'
    : { fault: `${name} has ${rows[0].obstacle}` };
}

/** Of the table $1; $2 is the column or null. */
const STATE = `
  SELECT repmodel = 't' AS "isReference", column_to_column_name(logicalrelid, partkey) AS "distributedBy",
    EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid
      WHERE indrelid = pg_class.oid AND indisprimary AND attname = $2 AND attnum = ANY (indkey)) AS "isInKey"
  FROM pg_class LEFT JOIN pg_dist_partition ON logicalrelid = oid
  WHERE oid = to_regclass(quote_ident($1))`;

/** $3 is its id, $4 has the tables that become reference tables. */
const OBSTACLES = `
  WITH target AS (SELECT quote_ident($1)::regclass AS oid, $2::text AS by),
  indexes AS (
    SELECT pg_index.*, relname, ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)) AS columns
    FROM target JOIN pg_index ON indrelid = target.oid JOIN pg_class ON pg_class.oid = indexrelid
  )
  SELECT 'partitions or heirs, or is one; Citus distributes ordinary tables' AS obstacle
  FROM target JOIN pg_class USING (oid)
  WHERE relkind <> 'r' OR EXISTS (SELECT FROM pg_inherits WHERE oid IN (inhrelid, inhparent))
  UNION ALL
  SELECT 'no primary key on its id; give it one by a migration'
  FROM target WHERE NOT EXISTS (SELECT FROM indexes WHERE indisprimary AND (by = ANY (columns) OR columns = ARRAY[$3]))
  UNION ALL
  SELECT 'the trigger ' || tgname || ', which Citus would not run; drop it by a migration'
  FROM target JOIN pg_trigger ON tgrelid = target.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'the identity column ' || attname || ', whose values Citus would repeat; have a sequence as its default'
  FROM target JOIN pg_attribute ON attrelid = target.oid WHERE attidentity <> ''
  UNION ALL
  SELECT 'rows whose ' || by || ' may be null, and no shard has; make it NOT NULL by a migration'
  FROM target JOIN pg_attribute ON attrelid = target.oid AND attname = by WHERE NOT attnotnull
  UNION ALL
  SELECT 'the unique index ' || relname || ' without ' || by || ', which no shard can check; drop it by a migration'
  FROM target JOIN indexes ON true
  WHERE (indisunique OR indisexclusion) AND NOT indisprimary AND by <> ALL (columns)
  UNION ALL
  SELECT format('the foreign key %s between %s and %s; drop it by a migration, or have --reference %3$s', conname, conrelid::regclass, confrelid::regclass)
  FROM target JOIN pg_constraint ON target.oid IN (conrelid, confrelid)
  WHERE contype = 'f' AND by IS NOT NULL AND (confrelid = target.oid OR confrelid NOT IN (
    SELECT logicalrelid FROM pg_dist_partition WHERE repmodel = 't'
    UNION SELECT quote_ident(name)::regclass FROM unnest($4::text[]) AS name))`;
