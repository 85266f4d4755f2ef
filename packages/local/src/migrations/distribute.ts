import { StartupFailure } from '@store-gateway/ops';
import { addressOf } from '@store-gateway/postgres';
import { type Client, escapeIdentifier } from 'pg';
import { databaseReason } from './refusals.ts';
import { openSession, type SessionOptions, takeMigrationLock } from './session.ts';

interface Node {
  readonly node: string;
  readonly success: boolean;
  readonly result: string;
}

/**
 * Selects the properties of a node's database that determine how it orders texts or, after an exclamation mark, what the node
 * lacks. Most roles can't see which plugins the database permits; Citus itself then reports a missing one.
 */
const NODE_ORDER = `
  SELECT CASE
    WHEN current_setting('wal_level') <> 'logical'
    THEN '!wal_level is not logical; set it to logical, and restart PostgreSQL there'
    WHEN 'citus' <> ALL (regexp_split_to_array(
      (SELECT setting FROM pg_settings WHERE name = 'output_plugin_libraries'), '[\\s,]+'))
    THEN '!output_plugin_libraries lacks citus; add it, and reload PostgreSQL there'
    ELSE concat_ws(' ', pg_encoding_to_char(encoding), datlocprovider, datcollate, datctype,
      to_jsonb(own) ->> 'daticulocale', to_jsonb(own) ->> 'datlocale', pg_database_collation_actual_version(oid))
  END
  FROM pg_database AS own WHERE datname = current_database()`;

const TAKES_SHARDS = 'SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards';

/**
 * Returns the reason why tables can't be distributed to the Citus nodes while they are written to; undefined if there is none.
 */
async function faultOfNodes(session: Client): Promise<string | undefined> {
  if ((await session.query(TAKES_SHARDS)).rowCount === 0) {
    return 'Citus has no worker nodes; add them with citus_add_node';
  }
  const { rows } = await session.query<Node>(
    `SELECT nodename || ':' || nodeport AS node, success, trim(result) AS result
     FROM run_command_on_all_nodes($1) JOIN pg_dist_node USING (nodeid) ORDER BY nodeid`,
    [NODE_ORDER],
  );
  const [first] = rows;
  for (const { node, success, result } of rows) {
    if (!success) return `${node} can't be queried: ${result}`;
    if (result.startsWith('!')) return `on ${node}, ${result.slice(1)}`;
    if (result !== first?.result) {
      return `${first?.node} and ${node} sort texts differently (${first?.result}; ${result}); create their databases with the same encoding and locale`;
    }
  }
  return undefined;
}

/** Returns the processes whose sessions have this application_name, with their addresses if the role may see them. */
async function olderSessions(session: Client, name: string): Promise<string> {
  const { rows } = await session.query<{ process: string }>(
    `SELECT DISTINCT concat_ws(' at ', application_name, host(client_addr)) AS process
     FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 ORDER BY 1`,
    [name],
  );
  return rows.map(({ process }) => process).join(', ');
}

/** Adds the distribution column to the primary key, as Citus requires, and an index for lookups by id alone. */
async function includeInKey(session: Client, target: TableToDistribute, by: string) {
  const { table, id } = target;
  const index = indexOfId(target);
  await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await session.query(
    `CREATE INDEX CONCURRENTLY ${index} ON ${escapeIdentifier(table)} (${escapeIdentifier(id)})`,
  );
  await changeKey(session, table, [by, id]);
}

/** Undoes `includeInKey`, unless Citus has distributed the table, because the next attempt then needs the key. */
async function restoreKey(session: Client, target: TableToDistribute): Promise<void> {
  const { table, id } = target;
  const { rowCount } = await session.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = quote_ident($1)::regclass AND partmethod = 'h'`,
    [table],
  );
  if (rowCount === 0) {
    await changeKey(session, table, [id]);
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${indexOfId(target)}`);
  }
}

function indexOfId({ table, id }: TableToDistribute): string {
  return escapeIdentifier(`${table}_${id}_idx`);
}

/**
 * Replaces the primary key. Other sessions are blocked only during the exchange, which fails if it can't acquire its locks within
 * 1 s.
 */
async function changeKey(session: Client, table: string, columns: readonly string[]) {
  const { rows } = await session.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = quote_ident($1)::regclass AND contype = 'p'`,
    [table],
  );
  const name = rows[0]?.name ?? '';
  const [index, key, quoted] = [`${name}_new`, name, table].map(escapeIdentifier);
  const list = columns.map(escapeIdentifier).join(', ');
  await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await session.query(`CREATE UNIQUE INDEX CONCURRENTLY ${index} ON ${quoted} (${list})`);
  // Citus requires separate statements if foreign keys connect the table with a reference table.
  await session.query(`BEGIN; SET LOCAL lock_timeout = '1s'`);
  try {
    await session.query(`ALTER TABLE ${quoted} DROP CONSTRAINT ${key}`);
    await session.query(
      `ALTER TABLE ${quoted} ADD CONSTRAINT ${key} PRIMARY KEY USING INDEX ${index}`,
    );
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK');
    throw error;
  }
}

/** A table that is to be distributed. */
export interface TableToDistribute {
  /** The table's name in messages. */
  readonly name: string;
  readonly table: string;
  readonly id: string;
  /** The distribution column, whose value determines a row's shard; undefined if each node gets all rows. */
  readonly by: string | undefined;
  /** The table that the distribution column's ids refer to. */
  readonly beside: string | undefined;
}

interface State {
  /** Null if the table isn't a Citus table. */
  readonly isReference: boolean | null;
  readonly distributedBy: string | null;
  readonly isInKey: boolean;
  /** The tables that its foreign keys refer to. */
  readonly refersTo: readonly string[];
}

/** A table that remains to be distributed. */
interface Left {
  readonly target: TableToDistribute;
  /** Whether its primary key must be changed first. */
  readonly lacksKey: boolean;
  readonly refersTo: readonly string[];
}

/** Returns 'done' for a table that is already distributed, what remains to be done, or why the table can't be distributed. */
async function stateOf(
  session: Client,
  target: TableToDistribute,
  { targets, models }: Pick<DistributionOptions, 'targets' | 'models'>,
): Promise<'done' | Left | { readonly faults: readonly string[] }> {
  const { name, table, id, by } = target;
  const values = [table, by ?? null];
  const [state] = (await session.query<State>(TABLE_STATE, values)).rows;
  if (state === undefined) return { faults: [`${name} has no table; apply the migrations first`] };
  const { isReference, distributedBy, isInKey, refersTo } = state;
  if (isReference === true || distributedBy !== null) {
    const isDone = isReference === (by === undefined) && distributedBy === (by ?? null);
    return isDone ? 'done' : { faults: [`${name} is already distributed in a different way`] };
  }
  const references = targets.filter((each) => each.by === undefined).map((each) => each.table);
  const { rows } = await session.query<{ obstacle: string }>(OBSTACLES, [
    ...values,
    id,
    references,
    JSON.stringify(models),
  ]);
  return rows.length === 0
    ? { target, lacksKey: !isInKey && by !== undefined, refersTo }
    : { faults: rows.map(({ obstacle }) => `${name} has ${obstacle}`) };
}

/** Sorts tables after those that they refer to, because a Citus reference table can only refer to other reference tables. */
function inOrder(left: readonly Left[]): Left[] {
  const waiting = [...left];
  const ordered: Left[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ refersTo }, place) =>
      waiting.every(({ target }, other) => other === place || !refersTo.includes(target.table)),
    );
    // If there is a cycle, Citus reports it.
    ordered.push(...waiting.splice(Math.max(next, 0), 1));
  }
  return ordered;
}

/** Selects the State of the table $1; $2 is its distribution column or null. */
const TABLE_STATE = `
  SELECT repmodel = 't' AS "isReference", column_to_column_name(logicalrelid, partkey) AS "distributedBy",
    EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid
      WHERE indrelid = pg_class.oid AND indisprimary AND attname = $2 AND attnum = ANY (indkey)) AS "isInKey",
    ARRAY(SELECT referred.relname::text FROM pg_constraint JOIN pg_class AS referred ON referred.oid = confrelid
      WHERE conrelid = pg_class.oid) AS "refersTo"
  FROM pg_class LEFT JOIN pg_dist_partition ON logicalrelid = oid
  WHERE oid = to_regclass(quote_ident($1))`;

/**
 * Selects the obstacles to distributing the table $1 by $2. $3 is its id column, $4 contains the tables that become reference
 * tables, and $5 maps tables to the names of their models.
 */
const OBSTACLES = `
  WITH RECURSIVE target AS (SELECT quote_ident($1)::regclass AS oid, $2::text AS by),
  indexes AS (
    SELECT pg_index.*, relname, ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)) AS columns
    FROM target JOIN pg_index ON indrelid = target.oid JOIN pg_class ON pg_class.oid = indexrelid
  ),
  tables AS (
    SELECT oid, $5::jsonb ->> relname AS model, coalesce($5::jsonb ->> relname, oid::regclass::text) AS name,
      oid IN (SELECT logicalrelid FROM pg_dist_partition WHERE repmodel = 't'
        UNION SELECT quote_ident(name)::regclass FROM unnest($4::text[]) AS name) AS "isReference"
    FROM pg_class
  ),
  needed AS (
    SELECT confrelid AS root, confrelid AS oid FROM target JOIN pg_constraint ON target.oid IN (conrelid, confrelid) WHERE contype = 'f'
    UNION
    SELECT needed.root, confrelid FROM needed JOIN pg_constraint ON conrelid = needed.oid
    WHERE contype = 'f' AND confupdtype::text || confdeltype::text !~ '^[ar]{2}$'
  ),
  keys AS (
    SELECT pg_constraint.*, referring.name AS referring, referred.name AS referred, referred."isReference",
      (SELECT ', or add' || string_agg(' --reference ' || model, '' ORDER BY model) FROM needed JOIN tables USING (oid)
        WHERE needed.root = confrelid AND NOT tables."isReference" HAVING bool_and(model IS NOT NULL)) AS otherwise,
      EXISTS (SELECT FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey) AND attname = by) AS "hasBy"
    FROM target JOIN pg_constraint ON target.oid IN (conrelid, confrelid)
    JOIN tables AS referring ON referring.oid = conrelid JOIN tables AS referred ON referred.oid = confrelid
  )
  SELECT 'partitions or child tables, or is one; Citus only distributes ordinary tables' AS obstacle
  FROM target JOIN pg_class USING (oid)
  WHERE relkind <> 'r' OR EXISTS (SELECT FROM pg_inherits WHERE oid IN (inhrelid, inhparent))
  UNION ALL
  SELECT 'no primary key on its id; add one with a migration'
  FROM target WHERE NOT EXISTS (SELECT FROM indexes WHERE indisprimary AND (by = ANY (columns) OR columns = ARRAY[$3]))
  UNION ALL
  SELECT 'the trigger ' || tgname || ', which Citus would not run; drop it with a migration'
  FROM target JOIN pg_trigger ON tgrelid = target.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'the identity column ' || attname || ', whose values Citus would repeat; use a sequence as its default instead'
  FROM target JOIN pg_attribute ON attrelid = target.oid WHERE attidentity <> ''
  UNION ALL
  SELECT 'the nullable column ' || by || ', but rows with null belong to no shard; make it NOT NULL with a migration'
  FROM target JOIN pg_attribute ON attrelid = target.oid AND attname = by WHERE NOT attnotnull
  UNION ALL
  SELECT 'the unique index ' || relname || ' without ' || by || ', which no shard can check; drop it with a migration'
  FROM target JOIN indexes ON true
  WHERE (indisunique OR indisexclusion) AND NOT indisprimary AND by <> ALL (columns)
  UNION ALL
  SELECT format('the foreign key %s between %s and %s; drop it with a migration%s', conname, referring, referred, otherwise)
  FROM target JOIN keys ON true
  WHERE CASE WHEN by IS NULL THEN NOT "isReference" AND confupdtype::text || confdeltype::text !~ '^[ar]{2}$'
    ELSE confrelid = target.oid OR NOT "isReference" END
  UNION ALL
  SELECT format('the foreign key %s to %s, which may change %s, the column that rows are distributed by; set its actions to NO ACTION with a migration', conname, referred, by)
  FROM target JOIN keys ON true
  WHERE conrelid = target.oid AND "hasBy" AND (confupdtype NOT IN ('a', 'r') OR confdeltype IN ('n', 'd'))`;

/** The tables to distribute, and how to distribute them. */
interface DistributionOptions extends SessionOptions {
  readonly targets: readonly TableToDistribute[];
  /** The `application_name` of processes that haven't detected Citus, and therefore can't use distributed tables. */
  readonly unaware: string;
  /** The names of models by their tables, for messages. */
  readonly models: Readonly<Record<string, string>>;
  /** Whether to only check, and change nothing. */
  readonly isCheck: boolean;
  /** Called before each table is distributed or, in a check, would be. */
  readonly onBegun: (name: string, changesKey: boolean) => void;
}

/**
 * Distributes tables over the Citus nodes while they are read and written. All tables are checked before any is changed.
 *
 * @param url the URL of the coordinator itself, not of a pooler
 * @returns the number of tables that were distributed or, in a check, would be
 * @throws StartupFailure with the reason; after an interruption, call this again to continue
 */
export async function distributeTables(url: string, options: DistributionOptions): Promise<number> {
  const { stopped, targets, isCheck, onBegun } = options;
  const refuse = (reason: string, cause?: unknown): never => {
    throw new StartupFailure(`The database at ${addressOf(url)} can't be distributed: ${reason}.`, {
      cause,
    });
  };
  const session = await openSession(url, options);
  const cut = () => session.connection.stream.destroy();
  try {
    if (session.pooler !== undefined) refuse('it is a pooler; set DATABASE_DIRECT_URL');
    if (!session.isSharded) refuse('it has no Citus nodes; set up Citus first');
    if (!isCheck) await takeMigrationLock(session, stopped);
    // Ends statements on the server when the client's connection is closed.
    await session.query(`SET client_connection_check_interval = '1s'; SET statement_timeout = 0`);
    stopped?.addEventListener('abort', cut);
    const older = await olderSessions(session, options.unaware);
    if (older.length > 0) {
      refuse(
        `processes that started before Citus was set up are still connected (${older}); restart them first`,
      );
    }
    const fault = await faultOfNodes(session);
    if (fault !== undefined) refuse(fault);
    const left: Left[] = [];
    const faults: string[] = [];
    for (const target of targets) {
      const state = await stateOf(session, target, options);
      if (state === 'done') continue;
      if ('faults' in state) faults.push(...state.faults);
      else left.push(state);
    }
    if (faults.length > 0) refuse(faults.join('. '));
    for (const { target, lacksKey } of inOrder(left)) {
      onBegun(target.name, lacksKey);
      if (!isCheck) await distribute(session, target, lacksKey);
    }
    return left.length;
  } catch (error) {
    if (error instanceof StartupFailure) throw error;
    return refuse(stopped?.aborted === true ? 'interrupted' : databaseReason(error), error);
  } finally {
    stopped?.removeEventListener('abort', cut);
    await session.end();
  }
}

async function distribute(
  session: Client,
  target: TableToDistribute,
  changesKey: boolean,
): Promise<void> {
  const { table, by, beside } = target;
  if (by === undefined) {
    await session.query('SELECT create_reference_table(quote_ident($1))', [table]);
    return;
  }
  try {
    if (changesKey) await includeInKey(session, target, by);
    const { rows } = await session.query<{ group: string }>(
      `SELECT coalesce(
         (SELECT logicalrelid::text FROM pg_dist_partition
          WHERE logicalrelid = to_regclass(quote_ident($1)) AND partmethod = 'h'), 'default') AS "group"`,
      [beside ?? null],
    );
    await session.query(
      'SELECT create_distributed_table_concurrently(quote_ident($1), $2, colocate_with => $3)',
      [table, by, rows[0]?.group],
    );
  } catch (error) {
    if (changesKey) await restoreKey(session, target);
    throw error;
  }
}
