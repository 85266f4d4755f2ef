import { StartupFailure, type Statement, type TextRow } from '@store-gateway/ops';

const VERSION_KEY = {
  name: 'version-key',
  text: `SELECT encode(secret, 'hex') FROM _gateway_secrets WHERE name = 'versions'`,
};

/**
 * Reads the secret in the versions of rows, which a migration has made.
 *
 * @throws StartupFailure if it has been removed
 */
export async function readVersionKey(
  read: (statement: Statement) => Promise<readonly TextRow[]>,
): Promise<string> {
  const [row] = await read(VERSION_KEY);
  const key = row?.[0];
  if (key == null) {
    throw new StartupFailure(
      'the table _gateway_secrets lacks the row named versions: restore it from a backup, or insert 32 random bytes, which changes all ETags',
    );
  }
  return key;
}
