import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command, Given } from '@gateway/command-line/command';
import { listAction, removeAction, storeAction } from './document-actions.ts';
import { onDatabase, type Action } from './on-database.ts';
import { runIfMain } from '@gateway/command-line/run-command';

const HELP = `Manages the trusted documents of the store: the GraphQL operations that its frontends send.

  npm run --silent documents -- DIR             store all that are in this folder, and print their hashes
  npm run --silent documents -- --list          list all that are stored
  npm run --silent documents -- --remove HASH   withdraw one: it is refused everywhere within a minute

In DIR and in the folders below it, but for node_modules, these are read:

  *.graphql, *.gql                 one document each, which has to hold the fragments that it uses
  persisted-documents.json         the manifest of graphql-codegen's client preset; it needs the option
                                   persistedDocuments: { hashAlgorithm: 'sha256' }
  persisted-query-manifest.json    the manifest of Apollo's generate-persisted-query-manifest

What a document is known by is the SHA-256 of its text in UTF-8, every space and line break included, the
last one too: what is hashed is the file as it is, or the text in the manifest, where the identifier has to
be that hash. A client may send the hash, or this very text.

Every document is checked first: whether it fits the schema, and is within the bounds of a request. If
anything is wrong with one, none is stored. One that is stored already stays, and all others stay too.
The store is the one that npm start would use: DATABASE_URL, or the embedded one in DATA_DIR. It may be
running or not.

Exit codes: 0 done, 1 failed, 2 not understood.
`;

const OPTIONS = { list: { type: 'boolean' }, remove: { type: 'string' } } as const;

export const documents: Command<typeof OPTIONS> = {
  name: 'documents',
  help: HELP,
  options: OPTIONS,
  read: (given) => {
    const action = readAction(given);
    const mayMakeStore = given.positionals.length > 0;
    return onDatabase(action, { role: 'documents', mayMakeStore });
  },
};

await runIfMain(import.meta, documents);

function readAction({ values: { list, remove }, positionals }: Given<typeof OPTIONS>): Action {
  const [directory, ...rest] = positionals;
  const asked = [directory, list, remove].filter((part) => part !== undefined);
  if (asked.length !== 1 || rest.length > 0) {
    throw new CommandFailure(2, 'say DIR, --list or --remove HASH, and one of them; see --help');
  }
  if (directory !== undefined) {
    return storeAction(directory);
  }
  return remove === undefined ? listAction() : removeAction(remove);
}
