import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/**
 * Bytes that the documents which are kept parsed take in all, about. With Yoga's own bound, 1024 documents of
 * whatever size, callers could fill 500 MB with them.
 */
const ALL = 30_000_000;

/** Bytes that one takes at most for each of its tokens, its faults included, and for each character of its text. */
const TOKEN = 1000;
const CHARACTER = 2;

/** What Yoga keeps of documents, since most are sent again. */
export function createDocumentCache() {
  return {
    documentCache: new LRUCache<string, DocumentNode>({
      maxSize: ALL,
      sizeCalculation: ({ tokenCount = 1 }, text) => TOKEN * tokenCount + CHARACTER * text.length,
    }),
    // To refuse a document again takes no longer than the first time.
    errorCache: { get: () => undefined, set: () => undefined },
  };
}
