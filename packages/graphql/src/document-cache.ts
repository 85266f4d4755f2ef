import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** With Yoga's own bound, 1024 documents of any size, callers could fill 500 MB. */
const MAX_BYTES = 30_000_000;

/** What a parsed document takes at most. */
const BYTES_PER_TOKEN = 1000;
const BYTES_PER_CHARACTER = 2;

/**
 * Caches valid documents parsed, by their text, since most are sent again. Rejected ones shall not be cached: their errors retain
 * everything that was in use when they were made, and rejecting a document again takes no longer than the first time.
 */
export function createDocumentCache(): LRUCache<string, DocumentNode> {
  return new LRUCache({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ tokenCount = 1 }, text) =>
      BYTES_PER_TOKEN * tokenCount + BYTES_PER_CHARACTER * text.length,
  });
}
