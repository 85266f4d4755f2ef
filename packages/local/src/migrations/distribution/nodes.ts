import type { Client } from 'pg';

interface Node {
  readonly node: string;
  readonly success: boolean;
  readonly result: string;
}

/**
 * Of a node: by what its database orders texts, or after an exclamation mark what it lacks. Most roles can't see which
 * plugins it permits; then Citus says so itself.
 */
const ORDER = `
  SELECT CASE
    WHEN current_setting('wal_level') <> 'logical'
    THEN '!its wal_level isn''t logical; set it, and restart PostgreSQL there'
    WHEN 'citus' <> ALL (regexp_split_to_array(
      (SELECT setting FROM pg_settings WHERE name = 'output_plugin_libraries'), '[\\s,]+'))
    THEN '!its output_plugin_libraries lack citus; add it, and reload PostgreSQL there'
    ELSE concat_ws(' ', pg_encoding_to_char(encoding), datlocprovider, datcollate, datctype,
      to_jsonb(own) ->> 'daticulocale', to_jsonb(own) ->> 'datlocale', pg_database_collation_actual_version(oid))
  END
  FROM pg_database AS own WHERE datname = current_database()`;

const PLACE = `
  SELECT CASE
    WHEN groupid <> 0 THEN 'it is a worker of Citus; connect to the coordinator'
    WHEN NOT EXISTS (SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards)
    THEN 'Citus has no workers there; add them with citus_add_node'
  END AS fault
  FROM pg_dist_local_group`;

/** Why the nodes of Citus can't take tables that are written meanwhile; undefined if they can. */
export async function faultOfNodes(session: Client): Promise<string | undefined> {
  const [place] = (await session.query<{ fault: string | null }>(PLACE)).rows;
  if (typeof place?.fault === 'string') return place.fault;
  const { rows } = await session.query<Node>(
    `SELECT nodename || ':' || nodeport AS node, success, trim(result) AS result
     FROM run_command_on_all_nodes($1) JOIN pg_dist_node USING (nodeid) ORDER BY nodeid`,
    [ORDER],
  );
  const [first] = rows;
  for (const { node, success, result } of rows) {
    if (!success) return `${node} can't be asked: ${result}`;
    if (result.startsWith('!')) return `of ${node}, ${result.slice(1)}`;
    if (result !== first?.result) {
      return `${first?.node} and ${node} order texts differently (${first?.result}; ${result}); create their databases with the same encoding and locale`;
    }
  }
  return undefined;
}
