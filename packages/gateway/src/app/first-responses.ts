import type { Caller } from '@store-gateway/access';
import { batcherFactory, log, type RunStatement } from '@store-gateway/ops';
import type { ResponseStore } from '@store-gateway/rest';
import type { GatewayDatabase } from '../database/client.ts';

/**
 * SQL for the time at which an idempotency key was claimed, which prefixes the stored response. Without this prefix, the response
 * for an expired claim could be replayed for a later write.
 */
const CLAIMED_AT = `extract(epoch FROM kept.created_at) || ' '`;

// Planned for each call, because a plan that was cached while the table was small would read the whole table.
const KEEP = {
  name: 'keep-responses',
  preparedAs: '',
  text: `
    WITH given AS (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (key_id, name, response)
    ), locked AS (
      SELECT key_id, name, ${CLAIMED_AT} || given.response AS response
      FROM _gateway_idempotency_keys AS kept JOIN given USING (key_id, name)
      ORDER BY key_id, name FOR UPDATE OF kept
    )
    UPDATE _gateway_idempotency_keys AS kept SET response = locked.response
    FROM locked WHERE (kept.key_id, kept.name) = (locked.key_id, locked.name)`,
};

const FIND = {
  name: 'find-responses',
  preparedAs: '',
  text: `
    SELECT CASE WHEN starts_with(response, ${CLAIMED_AT}) THEN substr(response, length(${CLAIMED_AT}) + 1) END
    FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS wanted (key_id, name, number)
    LEFT JOIN _gateway_idempotency_keys AS kept USING (key_id, name) ORDER BY number`,
};

/** Stores the first response to each write that has an idempotency key, for replays. */
export function createFirstResponses({
  $read,
  $write,
}: Pick<GatewayDatabase, '$read' | '$write'>): ResponseStore<Caller> {
  const createBatcher = batcherFactory();
  const batched = (run: RunStatement, statement: typeof KEEP) =>
    createBatcher<readonly string[], string | null>(async (requests) => {
      const inputs = requests.map(({ input }) => input);
      const lists = inputs[0]?.map((_value, place) => inputs.map((input) => input[place]));
      const rows = await run(statement, lists ?? []);
      requests.forEach(({ resolve }, index) => {
        resolve(rows[index]?.[0] ?? null);
      });
    });
  const keep = batched($write, KEEP);
  const find = batched($read, FIND);
  return {
    keep: async ({ id }, key, response) => {
      try {
        await keep([String(id), key, response]);
      } catch (error) {
        log.warn({ err: error }, 'could not store the response to a write for replays');
      }
    },
    find: async ({ id }, key) => (await find([String(id), key])) ?? undefined,
  };
}
