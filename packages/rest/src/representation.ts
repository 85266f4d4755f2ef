import { memoizeLast } from '@store-gateway/ops';
import { entityTagsOf } from './entity-tag.ts';
import type { Member } from './members.ts';
import { writerOf } from './writer.ts';

/** A resource as REST shows it. */
export interface Representation {
  /** JSON. */
  readonly body: string;
  /** Its entity tag, calculated at the first call. */
  readonly etag: () => string;
}

/**
 * Writes a result as JSON, ids as exact integers. A result that several callers share is written once.
 *
 * @param versionKey where the row's version is in the result, if it has one
 */
export function createRepresent(
  resource: Member,
  versionKey?: string,
): (resource: object) => Representation {
  const write = writerOf(resource);
  const tagOf = entityTagsOf(resource, versionKey);
  return memoizeLast((value: object) => {
    const body = write(value);
    let etag: string | undefined;
    return { body, etag: () => (etag ??= tagOf(value, body)) };
  });
}
