import type { IncomingMessage } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';
import { entityTagsIn, type EntityTags } from '@store-gateway/http';
import { excluding, isExclusion, preconditionRequired } from '@store-gateway/graphql';
import { versionIn } from './entity-tag.ts';
import type { PreparedRoute } from './rest.ts';
import { isRequired } from './variables.ts';

interface Preconditions {
  /** For a read: the tags to compare with the entity tag of the representation. */
  readonly ifMatch?: EntityTags | undefined;
  /** For a change: the variable by which the operation compares row versions. */
  readonly variable?: Readonly<Record<string, readonly string[]>>;
  /** Whether If-Match contains no entity tag of a row, only tags of a list or of another service. */
  readonly isOfNoRow?: boolean;
}

/** The message for a change whose If-Match has no entity tag of a row. */
export const NO_TAG_OF_ROW =
  'If-Match contains no ETag of a single resource; the ETag of a list is not accepted';

const NONE: Preconditions = {};

/**
 * Reads a request's conditional headers before its operation is executed. A change ignores none of them, except that a POST
 * without row versions ignores If-None-Match: its address isn't that of the row it adds.
 *
 * @throws BAD_USER_INPUT, or PRECONDITION_REQUIRED if the change must name the version that it expects
 */
export function preconditionsOf(
  { method, variables: { precondition } }: PreparedRoute,
  request: IncomingMessage,
): Preconditions {
  const ifMatch = entityTagsIn(request, 'If-Match');
  if (method === 'get') {
    return ifMatch === undefined ? NONE : { ifMatch };
  }
  const isAddition = method === 'post' && precondition === undefined;
  const ifNoneMatch = isAddition ? undefined : entityTagsIn(request, 'If-None-Match');
  if (precondition === undefined) {
    if (ifMatch !== undefined || ifNoneMatch !== undefined) {
      throw codedError('BAD_USER_INPUT', UNSUPPORTED);
    }
    return NONE;
  }
  const [name, { extensions }] = precondition;
  if (ifNoneMatch === '*') {
    // `*` matches every row, so no version is accepted.
    return { variable: { [name]: [] } };
  }
  if (ifNoneMatch !== undefined && extensions.takesExclusions !== true) {
    throw codedError('BAD_USER_INPUT', 'This operation only supports If-None-Match: *');
  }
  // A version that the argument's rule rejects can't exist.
  const isAccepted = (version: string) => extensions.rule?.accepts(version) !== false;
  const excluded = versionsIn(ifNoneMatch ?? [])
    .filter(isAccepted)
    .map(excluding);
  if (ifMatch === undefined || ifMatch === '*') {
    if (isRequired(precondition)) {
      throw preconditionRequired();
    }
    // The operation itself checks that the row exists.
    return excluded.length === 0 ? NONE : { variable: { [name]: excluded } };
  }
  const tagged = versionsIn(ifMatch);
  const isOne = (version: string) => extensions.takesExclusions !== true || !isExclusion(version);
  const versions = tagged.filter((version) => isAccepted(version) && isOne(version));
  return {
    // Exclusions alone would allow every other version.
    variable: { [name]: versions.length === 0 ? [] : [...versions, ...excluded] },
    isOfNoRow: tagged.length === 0,
  };
}

function versionsIn(tags: readonly string[]): string[] {
  return tags.map(versionIn).filter((version) => version !== undefined);
}

const UNSUPPORTED = 'This operation does not support If-Match and If-None-Match';
