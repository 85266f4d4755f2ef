import { isJsonObject } from '@gateway/exact-json/json';

/** A document as a manifest has it. */
export interface ManifestEntry {
  /** What the clients of this manifest send in the document's place. */
  readonly identifier: string;
  readonly text: string;
}

/**
 * Reads what generators write: graphql-codegen's `{ identifier: document }`, or Apollo's manifest with
 * its list of operations, of which each has an `id` and a `body`.
 *
 * @returns undefined if it is neither
 */
export function readManifest(json: string): ManifestEntry[] | undefined {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isJsonObject(manifest)) {
    return undefined;
  }
  const entries: [unknown, unknown][] =
    manifest['format'] === 'apollo-persisted-query-manifest' &&
    Array.isArray(manifest['operations'])
      ? manifest['operations'].map((operation: unknown) =>
          isJsonObject(operation) ? [operation['id'], operation['body']] : [undefined, undefined],
        )
      : Object.entries(manifest);
  const read = entries.flatMap(([identifier, text]) =>
    typeof identifier === 'string' && typeof text === 'string' ? [{ identifier, text }] : [],
  );
  return read.length === entries.length ? read : undefined;
}
