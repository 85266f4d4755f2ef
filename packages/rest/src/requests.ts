import type { IncomingMessage, ServerResponse } from 'node:http';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { isJsonObject } from '@store-gateway/ops';
import {
  excluding,
  inputError,
  type InputFault,
  type InputPath,
  isExclusion,
  preconditionRequired,
} from '@store-gateway/graphql';
import { codedError } from '@store-gateway/ops/errors';
import { type EntityTags, entityTagsIn } from '@store-gateway/http';
import { inputMembers, isRequired, type Member, type Variables } from './members.ts';
import { versionIn } from './operation.ts';

/** The header that names the ignored query parameters of a request. */
export const IGNORED_PARAMETERS = 'Ignored-Parameters';

/** Maximum number of unknown names to report for one object. */
const MAX_FAULTS = 20;

/** Maximum length of an unknown name in messages and in comparisons with known names. */
const MAX_NAME_LENGTH = 100;

/**
 * Rejects query parameters, and members of the body at any depth, that an operation doesn't have.
 *
 * @throws BAD_USER_INPUT with the nearest known name for each
 */
export function rejectUnknownMembers(
  { queryNames, body }: Variables,
  sent: { readonly query: object; readonly body: object },
): void {
  const parameters = unknownNames(Object.keys(sent.query), queryNames, 'parameter', []);
  const members =
    body === undefined ? [] : unknownMembers(sent.body, inputMembers(body[1].type), [body[1].name]);
  const faults = [...parameters, ...members];
  if (faults.length > 0) {
    throw inputError(faults);
  }
}

/** Maximum number of ignored parameters to name. */
const MAX_IGNORED = 10;

/** Maximum length of the name of an ignored parameter. A longer name may be an API key or an access token in the wrong place. */
const MAX_IGNORED_LENGTH = 40;

/**
 * Lists the query parameters that an operation doesn't have, percent-encoded, in a response header. Requests that prefer
 * strict handling are rejected instead.
 */
export function announceIgnored(
  response: ServerResponse,
  { queryNames }: Variables,
  sent: object,
): void {
  const ignored = unknownIn(Object.keys(sent), queryNames)
    .filter((name) => name !== '' && name.length <= MAX_IGNORED_LENGTH)
    .slice(0, MAX_IGNORED)
    .map((name) => encodeURIComponent(name.toWellFormed()));
  if (ignored.length > 0) {
    response.setHeader(IGNORED_PARAMETERS, ignored.join(', '));
  }
}

/**
 * Rejects a body whose members are all unknown, because it would change nothing.
 *
 * @throws BAD_USER_INPUT with the nearest known name for each
 */
export function rejectIneffectiveBody({ body }: Variables, sent: object): void {
  const given = Object.keys(sent);
  const known = new Set(inputMembers(body?.[1].type).map(({ key }) => key));
  if (given.length > 0 && known.size > 0 && unknownIn(given, known).length === given.length) {
    throw inputError(unknownNames(given, known, 'member', [body?.[1].name ?? '']));
  }
}

function unknownMembers(value: unknown, members: readonly Member[], path: InputPath): InputFault[] {
  if (members.length === 0) {
    // The input isn't an object, or may have any members.
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => unknownMembers(item, members, [...path, index]));
  }
  if (!isJsonObject(value)) {
    return [];
  }
  const names = new Set(members.map(({ key }) => key));
  return [
    ...unknownNames(Object.keys(value), names, 'member', path),
    ...members.flatMap(({ key, members: inner }) =>
      unknownMembers(value[key], inner, [...path, key]),
    ),
  ];
}

function unknownIn(given: readonly string[], known: ReadonlySet<string>): string[] {
  return given.filter((name) => !known.has(name));
}

function unknownNames(
  given: readonly string[],
  known: ReadonlySet<string>,
  what: 'parameter' | 'member',
  path: InputPath,
): InputFault[] {
  return unknownIn(given, known)
    .slice(0, MAX_FAULTS)
    .map((name) => {
      const told = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
      const [nearest] = suggestionList(told, [...known]);
      const hint = nearest === undefined ? '' : `, did you mean ${nearest}?`;
      return { path: [...path, told], message: `${told} is not a known ${what}${hint}` };
    });
}

interface Preconditions {
  /** For a read: the entity tags to compare with the representation's tag. */
  readonly ifMatch?: EntityTags | undefined;
  /** For a change: the variable with the row versions that the operation accepts or excludes. */
  readonly variable?: Readonly<Record<string, readonly string[]>>;
  /** Whether none of the entity tags in If-Match is a row's: all are lists' tags or come from other services. */
  readonly isOfNoRow?: boolean;
}

/** The message for a change whose If-Match doesn't contain an entity tag of a row. */
export const NO_TAG_OF_ROW =
  'If-Match contains no ETag of a single resource; the ETag of a list is not accepted';

const NONE: Preconditions = {};

/**
 * Reads a request's conditional headers before its operation is executed. A change never ignores them, with one exception: a POST
 * without row versions ignores If-None-Match, because the request's URL isn't that of the row it adds.
 *
 * @throws BAD_USER_INPUT, or PRECONDITION_REQUIRED if the change must name the version that it expects
 */
export function preconditionsOf(
  { method, variables }: { readonly method: string; readonly variables: Variables },
  request: IncomingMessage,
): Preconditions {
  const { precondition } = variables;
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
    // A list of exclusions alone would allow every other version.
    variable: { [name]: versions.length === 0 ? [] : [...versions, ...excluded] },
    isOfNoRow: tagged.length === 0,
  };
}

function versionsIn(tags: readonly string[]): string[] {
  return tags.map(versionIn).filter((version) => version !== undefined);
}

const UNSUPPORTED = 'This operation does not support If-Match and If-None-Match';
