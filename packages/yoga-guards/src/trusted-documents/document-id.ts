import { createHash } from 'node:crypto';

/** What a document is stored by, and known to clients by: SHA-256 in lower-case hexadecimal digits. */
export function hashOfDocument(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}

/**
 * The hash that a document identifier stands for: `sha256:` and 64 digits, as the appendix "Persisted
 * Documents" of GraphQL over HTTP has it, or the digits alone, as generators write it. Undefined if it
 * is neither.
 */
export function hashOfIdentifier(identifier: unknown): string | undefined {
  return typeof identifier === 'string'
    ? /^(?:sha256:)?([0-9a-f]{64})$/.exec(identifier)?.[1]
    : undefined;
}
