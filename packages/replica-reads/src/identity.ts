import type { PoolClient } from 'pg';
import type { Statement } from '@gateway/batched-prisma/statement';
import { sendStatement } from '@gateway/postgres/statement';

/** Of which cluster a connection sees which rows, as whom. */
const IDENTITY: Statement = {
  name: 'identity',
  text: `
    SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(),
      coalesce(current_schema(), '-'), current_user)`,
};

const identities = new WeakMap<PoolClient, Promise<string>>();

/** Asked for once for each connection, which stays the same server's. */
export function identityOf(client: PoolClient): Promise<string> {
  const known = identities.get(client);
  if (known !== undefined) {
    return known;
  }
  const asked = sendStatement(client, IDENTITY, []).then(([row]) => row?.[0] ?? '');
  identities.set(client, asked);
  return asked;
}
