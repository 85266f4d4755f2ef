import type { IncomingMessage } from 'node:http';
import { codedError } from '@store-gateway/errors/coded-error';
import { ifMatchOf, type EntityTags } from '@store-gateway/http-server/http/preconditions';
import { preconditionRequired } from '@store-gateway/schema-extensions/precondition';
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
  'If-Match contains no ETag of a single resource: a list has another kind of ETag';

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
  const ifMatch = ifMatchOf(request);
  if (method === 'get') {
    return ifMatch === undefined ? NONE : { ifMatch };
  }
  const isAddition = method === 'post' && precondition === undefined;
  const ifNoneMatch = isAddition ? undefined : request.headers['if-none-match'];
  if (precondition === undefined) {
    if (ifMatch !== undefined || ifNoneMatch !== undefined) {
      throw codedError('BAD_USER_INPUT', UNSUPPORTED);
    }
    return NONE;
  }
  const [name, { extensions }] = precondition;
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*') {
      throw codedError(
        'BAD_USER_INPUT',
        'If-None-Match must be * in a request that changes something',
      );
    }
    // Nothing that exists passes.
    return { variable: { [name]: [] } };
  }
  if (ifMatch === undefined || ifMatch === '*') {
    if (isRequired(precondition)) {
      throw preconditionRequired();
    }
    // That there is a row to change is the operation's own condition.
    return NONE;
  }
  const tagged = ifMatch.map(versionIn).filter((version) => version !== undefined);
  // What the argument would reject is no version that there is.
  const versions = tagged.filter((version) => extensions.rule?.accepts(version) !== false);
  return { variable: { [name]: versions }, isOfNoRow: tagged.length === 0 };
}

const UNSUPPORTED = 'This operation does not support If-Match and If-None-Match';
