import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keptForFile } from './clean-up.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { sendTo, type Answer, type Gateway } from './gateway.ts';

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Creates a folder with these files, until the file's tests are over. */
export async function folderOf(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = keptForFile(await temporaryDirectory());
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), content);
  }
  return folder.path;
}

/** Returns a manifest as graphql-codegen writes it: identifiers have a prefix, or none as in earlier versions. */
export function codegenManifest(prefix: string, document: string): string {
  return JSON.stringify({ [`${prefix}${sha256(document)}`]: document });
}

export function apolloManifest(...operations: object[]): string {
  return JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations });
}

/** Repeats a part of a document. */
export function times(count: number, part: (index: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(separator);
}

/** Returns a function that sends documents as a client that expects invalid ones to be reported in the HTTP status. */
export function answersTo({ request }: Pick<Gateway, 'request'>) {
  const headers = { Accept: 'application/graphql-response+json' };
  return (query: string, variables?: object): Promise<Answer> =>
    sendTo({ request })('POST', '/graphql', { query, variables }, headers);
}

/** What matters in the response to a document that is executed. */
export const PASSED = { status: 200, json: { data: {} } };
