import type { Gateway } from '../definition.ts';
import { checkDocument, readDocuments, hashOfIdentifier } from '@store-gateway/graphql/execution';
import {
  CommandFailure,
  type Command,
  type Given,
  printable,
} from '@store-gateway/ops/command-line';
import { VARIABLE_NAMES } from '../config/config.ts';
import { listDocuments, removeDocument, storeDocuments } from '../graphql/trusted-documents.ts';
import { EXIT_CODES, type GatewayAction, WHICH_STORE, withDatabase } from './on-database.ts';

const HELP = `Manages the store's trusted documents: the GraphQL operations that its frontends send.

  npm run --silent documents -- DIR             store all documents in this folder and print their hashes
  npm run --silent documents -- --list          list all stored documents
  npm run --silent documents -- --remove HASH   remove a document; all processes reject it within a minute

Reads these files in DIR and its subfolders, except node_modules:

  *.graphql, *.gql                 one document each, including the fragments that it uses
  persisted-documents.json         the manifest of graphql-codegen's client preset with the option
                                   persistedDocuments: { hashAlgorithm: 'sha256' }
  persisted-query-manifest.json    the manifest of Apollo's generate-persisted-query-manifest

A document is identified by the SHA-256 of its UTF-8 text, including all whitespace and the final line
break: of the unchanged file, or of the text in the manifest, whose identifiers must be these hashes. A
client sends either the hash or exactly this text.

All documents are validated first, against the schema and the limits of requests. If one is invalid, none is
stored. Documents that were stored earlier remain.
${WHICH_STORE}

${EXIT_CODES}
`;

const OPTIONS = { list: { type: 'boolean' }, remove: { type: 'string' } } as const;

export function documentsCommand(gateway: Gateway): Command<typeof OPTIONS> {
  return {
    name: 'documents',
    help: HELP,
    options: OPTIONS,
    variables: VARIABLE_NAMES,
    read: (given) =>
      withDatabase(gateway, readAction(gateway, given), {
        purpose: 'documents',
        mayMakeStore: given.positionals.length > 0,
      }),
  };
}

function readAction(
  gateway: Gateway,
  { values, positionals }: Given<typeof OPTIONS>,
): GatewayAction {
  const [directory, ...rest] = positionals;
  const asked = [directory, values.list, values.remove].filter((part) => part !== undefined);
  if (asked.length !== 1 || rest.length > 0) {
    throw new CommandFailure(2, 'give either DIR, --list or --remove HASH; see --help');
  }
  if (directory !== undefined) {
    return store(gateway, directory);
  }
  return values.remove === undefined ? list(gateway) : remove(values.remove);
}

/** Stores all documents of a folder, or none if one of them is invalid. */
function store(gateway: Gateway, directory: string): GatewayAction {
  return async (database, { stderr }) => {
    const { schema } = await gateway.load();
    const { documents: found, faults } = await readDocuments(schema, directory).catch(
      (error: unknown) => {
        throw error instanceof Error && 'syscall' in error
          ? new CommandFailure(1, `could not read ${directory}: ${error.message}`)
          : error;
      },
    );
    if (faults.length > 0) {
      stderr.write(faults.map((fault) => `documents: ${printable(fault)}\n`).join(''));
      throw new CommandFailure(1, 'nothing was stored');
    }
    if (found.length === 0) {
      const message = `there is no .graphql or .gql file and no manifest in ${directory}`;
      throw new CommandFailure(1, message);
    }
    await storeDocuments(database, found);
    return found.map(({ hash, operations }) => `${hash}  ${namesOf(operations)}\n`).join('');
  };
}

function list(gateway: Gateway): GatewayAction {
  return async (database) => {
    const { schema } = await gateway.load();
    return (await listDocuments(database))
      .map(({ hash, createdAt, document }) => {
        const { operations } = checkDocument(schema, document);
        return `${hash}  ${createdAt.toISOString()}  ${namesOf(operations)}\n`;
      })
      .join('');
  };
}

function remove(identifier: string): GatewayAction {
  const hash = hashOfIdentifier(identifier);
  if (hash === undefined) {
    throw new CommandFailure(
      2,
      'HASH must be the hash of a document, as --list shows it; see --help',
    );
  }
  return async (database) => {
    if (!(await removeDocument(database, hash))) {
      throw new CommandFailure(1, `there is no document ${hash}; see --list`);
    }
    return `removed ${hash}\n`;
  };
}

function namesOf(operations: readonly string[]): string {
  return operations.map((name) => name || '(unnamed)').join(', ');
}
