import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GraphQLSchema, GraphQLError, specifiedRules, type DocumentNode } from 'graphql';
import { isJsonObject } from '@store-gateway/ops';
import { hashOfDocument, hashOfIdentifier } from './document-reader.ts';
import { complexityFault } from '../bounds/complexity.ts';
import { definitionsOf, parseWithinBounds, validateWithinBounds } from '../bounds/document.ts';

/** A document and its SHA-256 in hexadecimal digits. */
export interface StoredDocument {
  readonly hash: string;
  readonly document: string;
}

/** GraphQL files, and the files that graphql-codegen's client preset and Apollo's generator write by default. */
const FILE = /\.(?:graphql|gql)$|^persisted-(?:documents|query-manifest)\.json$/;

/** The documents in a folder, and their faults. */
interface ReadDocuments {
  /** Each document once, with the names of its operations. */
  readonly documents: readonly (StoredDocument & { readonly operations: readonly string[] })[];
  /** The faults, each with the path of its file. If there are any, nothing should be stored. */
  readonly faults: readonly string[];
}

/** Reads and checks every document in a folder and the folders below it, except installed packages. */
export async function readDocuments(
  schema: GraphQLSchema,
  directory: string,
): Promise<ReadDocuments> {
  const documents = new Map<string, ReadDocuments['documents'][number]>();
  const faults: string[] = [];
  for (const file of await filesIn(directory)) {
    const entries = entriesOf(file, await readFile(file));
    if (typeof entries === 'string') {
      faults.push(`${file}: ${entries}`);
      continue;
    }
    for (const { identifier, text } of entries) {
      const hash = hashOfDocument(text);
      const { operations, faults: found } = checkDocument(schema, text);
      const place = identifier === undefined ? file : `${file}: "${identifier}"`;
      if (identifier !== undefined && hashOfIdentifier(identifier) !== hash) {
        faults.push(
          `${place}: its identifier is not its SHA-256, which is ${hash}; graphql-codegen needs hashAlgorithm: 'sha256'`,
        );
      }
      if (text.includes('\0')) {
        faults.push(`${place}: it contains NUL, which can't be stored`);
      }
      faults.push(...found.map((fault) => `${place}: ${fault}`));
      documents.set(hash, { hash, document: text, operations });
    }
  }
  return { documents: [...documents.values()], faults };
}

/** Finds the files in a folder that may contain documents. It doesn't follow symbolic links, which may be circular. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        return entry.name === 'node_modules' ? [] : filesIn(path);
      }
      return entry.isFile() && FILE.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat().toSorted();
}

/** A document, with the identifier that clients send instead of it, if it comes from a manifest. */
interface DocumentEntry {
  readonly identifier?: string;
  readonly text: string;
}

/** Returns the documents of a file, or the reason why it has none. */
function entriesOf(file: string, bytes: Uint8Array): readonly DocumentEntry[] | string {
  let text: string;
  try {
    // A byte order mark stays, because the hash includes it.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return 'it is not UTF-8';
  }
  return file.endsWith('.json')
    ? (readManifest(text) ?? 'it is not a manifest of graphql-codegen or Apollo')
    : [{ text }];
}

/**
 * Reads a manifest: graphql-codegen's `{ identifier: document }`, or Apollo's list of operations, each with an `id` and a
 * `body`.
 *
 * @returns undefined if it is neither
 */
function readManifest(json: string): DocumentEntry[] | undefined {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isJsonObject(manifest)) {
    return undefined;
  }
  const { format, operations } = manifest;
  const entries: readonly (readonly unknown[])[] =
    format === 'apollo-persisted-query-manifest' && Array.isArray(operations)
      ? operations.map((entry: unknown) =>
          isJsonObject(entry) ? [entry['id'], entry['body']] : [],
        )
      : Object.entries(manifest);
  const read = entries.flatMap(([identifier, text]) =>
    typeof identifier === 'string' && typeof text === 'string' ? { identifier, text } : [],
  );
  return read.length === entries.length ? read : undefined;
}

/** The result of checking a document. */
interface CheckedDocument {
  /** The names of its operations. */
  readonly operations: readonly string[];
  /** The reasons why it can't be executed, each with its line and column; empty if it can. */
  readonly faults: readonly string[];
}

/** Checks a document like one in a request, without variables. */
export function checkDocument(schema: GraphQLSchema, text: string): CheckedDocument {
  let document: DocumentNode;
  try {
    document = parseWithinBounds(text);
  } catch (error) {
    if (error instanceof GraphQLError) {
      return { operations: [], faults: [faultText(error)] };
    }
    throw error;
  }
  const operations = definitionsOf(document).operations.map(({ name }) => name?.value ?? '');
  const errors = validateWithinBounds(schema, document, specifiedRules);
  const faults =
    errors.length > 0
      ? errors
      : operations.flatMap(
          (name) => complexityFault({ schema, document, operationName: name || null }) ?? [],
        );
  return { operations, faults: faults.map(faultText) };
}

function faultText({ message, locations }: GraphQLError): string {
  const [place] = locations ?? [];
  return place === undefined ? message : `${place.line}:${place.column}: ${message}`;
}
