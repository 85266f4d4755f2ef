import { hash } from 'node:crypto';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import type { Member } from './members.ts';
import { writerOf } from './writer.ts';

export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag (RFC 9110, 8.8.3), calculated at the first call. */
  readonly etag: () => string;
}

/** Writes a result as JSON, ids as exact integers. A result that several callers share is written once. */
export function createRepresent(resource: Member): (resource: object) => Representation {
  const write = writerOf(resource);
  return memoizeLast((value: object) => {
    const body = write(value);
    let etag: string | undefined;
    return { body, etag: () => (etag ??= `"${hash('sha1', body, 'base64')}"`) };
  });
}
