import { isJsonObject } from '@gateway/exact-json/json';

/** A document, with the identifier that clients send in its place if it comes from a manifest. */
export interface DocumentEntry {
  readonly identifier?: string;
  readonly text: string;
}

/**
 * Reads a manifest: graphql-codegen's `{ identifier: document }`, or Apollo's list of operations, each with an `id` and a
 * `body`.
 *
 * @returns undefined if it is neither
 */
export function readManifest(json: string): DocumentEntry[] | undefined {
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
