import type { Gateway } from '../definition.ts';

import { scopeNames } from '../auth/scope-names.ts';
import { VARIABLE_NAMES } from '../config/config.ts';
import type { Command } from '@store-gateway/ops/command-line';
import { EXIT_CODES, withDatabase, WHICH_STORE } from './on-database.ts';

const helpOf = (scopes: readonly string[]): string => `Manages the API keys of the store.

  npm run --silent keys -- create NAME [--expires DURATION] [RESTRICTIONS]
                                                            create a key and print it (shown only once)
  npm run --silent keys -- list                             list all keys, without their secrets
  npm run --silent keys -- restrict ID RESTRICTIONS         change the restrictions of a key, and list it
  npm run --silent keys -- revoke ID                        revoke a key
  npm run --silent keys -- rotate ID [--grace DURATION]     replace a key and print the new one

RESTRICTIONS (a key without any may do everything):
  --scopes SCOPES    only what these scopes allow: ${scopes.join(', ')}; or all
  --origins ORIGINS  only from web pages of these origins, such as https://shop.example; or all. Such a key
                     can't have the scope write, and by default has only read
  --documents        only trusted documents, sent to /graphql; --no-documents lifts this

Separate the items of a list with commas. restrict changes only the restrictions that you give.
DURATION is a number and a unit: 45s, 30m, 12h or 90d. Without --expires, a key never expires. A rotated key
is revoked at once, or after the grace period; the new key has the same lifetime and restrictions. Every
process rejects an invalid key, and applies changed restrictions, within 5 seconds.
${WHICH_STORE}

${EXIT_CODES}
`;

const OPTIONS = {
  expires: { type: 'string' },
  grace: { type: 'string' },
  scopes: { type: 'string' },
  origins: { type: 'string' },
  documents: { type: 'boolean' },
  'no-documents': { type: 'boolean' },
} as const;

export function keysCommand(gateway: Gateway): Command<typeof OPTIONS> {
  const scopes = scopeNames(gateway.access);
  return {
    name: 'keys',
    help: helpOf(scopes),
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: (given) => async (io) => {
      // Not for the help.
      const { readAction } = await import('./key-actions.ts');
      const run = withDatabase(gateway, readAction(given, scopes), {
        purpose: 'keys',
        mayMakeStore: given.positionals[0] === 'create',
      });
      return run(io);
    },
  };
}
