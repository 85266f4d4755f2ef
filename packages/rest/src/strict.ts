import type { ServerResponse } from 'node:http';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { isJsonObject } from '@store-gateway/ops';
import { inputError, type InputFault, type InputPath } from '@store-gateway/graphql';
import { inputMembers, type Member } from './members.ts';
import type { Variables } from './variables.ts';

/** The header that names the parameters of a request's query that were ignored. */
export const IGNORED_PARAMETERS = 'Ignored-Parameters';

/** As many are looked for in one object. */
const MAX_FAULTS = 20;

/** Characters of an unknown name that are told, and compared with known ones. */
const MAX_NAME_LENGTH = 100;

/**
 * Refuses parameters of the query, and members of the body at whatever depth, that an operation doesn't have.
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

/** As many ignored parameters are named. */
const MAX_IGNORED = 10;

/** Longer names may be an API key or an access token in the wrong place. */
const MAX_IGNORED_LENGTH = 40;

/**
 * Names parameters of the query that an operation doesn't have, percent-encoded, in a header of the response; strict clients
 * have them refused.
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
 * Refuses a body that has members, but none that the operation has: it would change nothing.
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
    // It isn't an object, or may have any members.
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
