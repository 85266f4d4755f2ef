import type { PoolClient } from 'pg';
import type { Statement } from '@gateway/batched-prisma/statement';
import { sendStatement } from '../statement.ts';

/** An expression: of which cluster a session sees which rows, as whom. */
export const IDENTITY = `
  concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(),
    coalesce(current_schema(), '-'), current_user)`;

const ASK: Statement = { name: 'identity', text: `SELECT ${IDENTITY}` };

const identities = new WeakMap<PoolClient, Promise<string>>();

/** Asked for once for each connection, which stays the same server's. */
export function identityOf(client: PoolClient): Promise<string> {
  const known = identities.get(client);
  if (known !== undefined) {
    return known;
  }
  const asked = sendStatement(client, ASK, []).then(([row]) => row?.[0] ?? '');
  identities.set(client, asked);
  return asked;
}
