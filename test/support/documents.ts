import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onFileFinished } from './clean-up.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A folder with these files, until the tests of the file are over. */
export async function folderOf(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = await temporaryDirectory();
  onFileFinished(() => folder[Symbol.asyncDispose]());
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), content);
  }
  return folder.path;
}

/** What graphql-codegen writes: identifiers with a prefix, or without as it used to. */
export function codegenManifest(prefix: string, document: string): string {
  return JSON.stringify({ [`${prefix}${sha256(document)}`]: document });
}

export function apolloManifest(...operations: object[]): string {
  return JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations });
}
