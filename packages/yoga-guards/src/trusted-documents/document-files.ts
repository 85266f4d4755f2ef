import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { checkDocument } from './document-faults.ts';
import { hashOfDocument, hashOfIdentifier } from './document-id.ts';
import { readManifest, type ManifestEntry } from './manifest.ts';

/** A document and the SHA-256 of its text, in hexadecimal digits. */
export interface StoredDocument {
  readonly hash: string;
  readonly document: string;
}

/** GraphQL's own, and what graphql-codegen's client preset and Apollo's generator write by default. */
const FILE = /\.(?:graphql|gql)$|^persisted-(?:documents|query-manifest)\.json$/;

export interface ReadDocuments {
  /** Each once, by hash; with the names of its operations. */
  readonly documents: readonly (StoredDocument & { readonly operations: readonly string[] })[];
  /** What is wrong, each with the path of its file; while there is anything, nothing is to be stored. */
  readonly faults: readonly string[];
}

/** Reads and checks every document in a folder and in the folders below it, but for installed packages. */
export async function readDocuments(
  schema: GraphQLSchema,
  directory: string,
): Promise<ReadDocuments> {
  const documents = new Map<string, ReadDocuments['documents'][number]>();
  const faults: string[] = [];
  for (const file of await filesIn(directory)) {
    const content = decoded(await readFile(file));
    if (content === undefined) {
      faults.push(`${file}: it is not UTF-8`);
      continue;
    }
    const entries = file.endsWith('.json') ? readManifest(content) : [{ text: content }];
    if (entries === undefined) {
      faults.push(`${file}: it is no manifest of graphql-codegen or Apollo`);
      continue;
    }
    for (const entry of entries) {
      const hash = hashOfDocument(entry.text);
      const { operations, faults: found } = checkDocument(schema, entry.text);
      faults.push(
        ...[...identifierFaults(entry, hash), ...found].map(
          (fault) => `${file}: ${place(entry)}${fault}`,
        ),
      );
      documents.set(hash, { hash, document: entry.text, operations });
    }
  }
  return { documents: [...documents.values()], faults };
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && FILE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !relative(directory, file).split(sep).includes('node_modules'))
    .toSorted();
}

/** The text that the bytes are in UTF-8, a byte order mark included, as it counts in the hash. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

type Entry = Pick<ManifestEntry, 'text'> & Partial<ManifestEntry>;

function identifierFaults({ identifier }: Entry, hash: string): string[] {
  return identifier === undefined || hashOfIdentifier(identifier) === hash
    ? []
    : [
        `its identifier is not its SHA-256, which is ${hash}; graphql-codegen needs hashAlgorithm: 'sha256'`,
      ];
}

function place({ identifier }: Entry): string {
  return identifier === undefined ? '' : `"${identifier}": `;
}
