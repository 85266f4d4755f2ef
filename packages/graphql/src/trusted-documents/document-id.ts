import { createHash } from 'node:crypto';

/** What a document is stored by: its SHA-256 in lower-case hexadecimal digits. */
export function hashOfDocument(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}

/**
 * The hash of a document identifier: `sha256:` and 64 digits (the appendix "Persisted Documents" of GraphQL over HTTP), or
 * the digits alone, as generators write it. Undefined for anything else.
 */
export function hashOfIdentifier(identifier: unknown): string | undefined {
  return typeof identifier === 'string'
    ? /^(?:sha256:)?([0-9a-f]{64})$/.exec(identifier)?.[1]
    : undefined;
}
