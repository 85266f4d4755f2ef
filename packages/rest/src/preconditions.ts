import type { IncomingMessage } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';
import { entityTagsIn, type EntityTags } from '@store-gateway/http';
import { excluding, isExclusion, preconditionRequired } from '@store-gateway/graphql';
import { versionIn } from './entity-tag.ts';
import type { PreparedRoute } from './rest.ts';
import { isRequired } from './variables.ts';

interface Preconditions {
  /** Of a read: compared with the entity tag of what has been read. */
  readonly ifMatch?: EntityTags | undefined;
  /** Of a change: the variable that has the operation compare versions. */
  readonly variable?: Readonly<Record<string, readonly string[]>>;
  /** Whether If-Match has no tag of a row, but of a list or another service. */
  readonly isOfNoRow?: boolean;
}

/** The message for a change whose If-Match has no entity tag of a row. */
export const NO_TAG_OF_ROW =
  'If-Match contains no ETag of a single resource; the ETag of a list is not accepted';

const NONE: Preconditions = {};

/**
 * What a request's conditional headers ask for, before its operation is executed. None is ignored but If-None-Match of a POST
 * without versions: its address isn't that of what it adds.
 *
 * @throws BAD_USER_INPUT, or PRECONDITION_REQUIRED where a change has to say which version it is of
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
    // Nothing that exists passes.
    return { variable: { [name]: [] } };
  }
  if (ifNoneMatch !== undefined && extensions.takesExclusions !== true) {
    throw codedError('BAD_USER_INPUT', 'This operation only supports If-None-Match: *');
  }
  // What the argument would reject is no version that there is.
  const isAccepted = (version: string) => extensions.rule?.accepts(version) !== false;
  const excluded = versionsIn(ifNoneMatch ?? [])
    .filter(isAccepted)
    .map(excluding);
  if (ifMatch === undefined || ifMatch === '*') {
    if (isRequired(precondition)) {
      throw preconditionRequired();
    }
    // That there is a row to change is the operation's own condition.
    return excluded.length === 0 ? NONE : { variable: { [name]: excluded } };
  }
  const tagged = versionsIn(ifMatch);
  const isOne = (version: string) => extensions.takesExclusions !== true || !isExclusion(version);
  const versions = tagged.filter((version) => isAccepted(version) && isOne(version));
  return {
    // Alone, exclusions would allow every other version.
    variable: { [name]: versions.length === 0 ? [] : [...versions, ...excluded] },
    isOfNoRow: tagged.length === 0,
  };
}

function versionsIn(tags: readonly string[]): string[] {
  return tags.map(versionIn).filter((version) => version !== undefined);
}

const UNSUPPORTED = 'This operation does not support If-Match and If-None-Match';
