import { schema } from '../schema/index.ts';
import { checkDocument } from '@gateway/yoga-guards/trusted-documents/check-document';
import {
  readDocuments,
  type ReadDocuments,
} from '@gateway/yoga-guards/trusted-documents/document-files';
import { hashOfIdentifier } from '@gateway/yoga-guards/trusted-documents/document-id';
import { listDocuments, removeDocument, storeDocuments } from '../graphql/stored-documents.ts';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Action } from './on-database.ts';
import { printable } from '@gateway/command-line/printable';

/** Stores all documents of a folder, or, if there is anything wrong with one of them, none. */
export function storeAction(directory: string): Action {
  return async (database, { stderr }) => {
    const { documents, faults } = await read(directory);
    if (faults.length > 0) {
      const lines = faults.map((fault) => `documents: ${printable(fault)}\n`);
      stderr.write(lines.join(''));
      throw new CommandFailure(1, 'nothing was stored');
    }
    if (documents.length === 0) {
      throw new CommandFailure(
        1,
        `there is no .graphql or .gql file and no manifest in ${directory}`,
      );
    }
    await storeDocuments(database, documents);
    return documents.map(({ hash, operations }) => `${hash}  ${named(operations)}\n`).join('');
  };
}

/** Tells every document: its hash, since when it is stored, its operations. */
export function listAction(): Action {
  return async (database) => {
    const documents = await listDocuments(database);
    return documents
      .map(({ hash, createdAt, document }) => {
        const { operations } = checkDocument(schema, document);
        return `${hash}  ${createdAt.toISOString()}  ${named(operations)}\n`;
      })
      .join('');
  };
}

/** Withdraws a document. */
export function removeAction(identifier: string): Action {
  const hash = hashOfIdentifier(identifier);
  if (hash === undefined) {
    throw new CommandFailure(2, 'say which document by its hash, as --list tells it; see --help');
  }
  return async (database) => {
    if (!(await removeDocument(database, hash))) {
      throw new CommandFailure(1, `there is no document ${hash}; see --list`);
    }
    return `removed ${hash}\n`;
  };
}

async function read(directory: string): Promise<ReadDocuments> {
  try {
    return await readDocuments(schema, directory);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new CommandFailure(1, `${directory} can't be read: ${error.message}`);
    }
    throw error;
  }
}

function named(operations: readonly string[]): string {
  return operations.map((name) => name || '(without a name)').join(', ');
}
