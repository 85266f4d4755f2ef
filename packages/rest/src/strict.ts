import type { ServerResponse } from 'node:http';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { isJsonObject } from '@store-gateway/ops';
import { inputError, type InputFault, type InputPath } from '@store-gateway/graphql';
import { inputMembers, type Member } from './members.ts';
import type { Variables } from './variables.ts';

/** The header that names the ignored query parameters of a request. */
export const IGNORED_PARAMETERS = 'Ignored-Parameters';

/** Maximum number of unknown names that are reported for one object. */
const MAX_FAULTS = 20;

/** Maximum length of an unknown name in a message, and in the comparison with known names. */
const MAX_NAME_LENGTH = 100;

/**
 * Rejects query parameters, and members of the body at any depth, that an operation doesn't have.
 *
 * @throws BAD_USER_INPUT with the nearest known name of each
 */
export function refuseUnknown(
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

/** Longer names may be an API key or an access token in the wrong place. */
const MAX_IGNORED_LENGTH = 40;

/**
 * Names the query parameters that an operation doesn't have, percent-encoded, in a header of the response. Strict clients get
 * an error instead.
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
 * Rejects a body that has members, but none that the operation has, because it would change nothing.
 *
 * @throws BAD_USER_INPUT with the nearest known name of each
 */
export function refuseWithoutEffect({ body }: Variables, sent: object): void {
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
