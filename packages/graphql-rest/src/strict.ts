import type { ServerResponse } from 'node:http';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { isJsonObject } from '@store-gateway/exact-json/json';
import {
  inputError,
  type InputFault,
  type InputPath,
} from '@store-gateway/schema-extensions/input-faults';
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
  { query, body }: Variables,
  sent: { readonly query: object; readonly body: object },
): void {
  const parameters = unknownNames(
    Object.keys(sent.query),
    query.map(([name]) => name),
    'parameter',
    [],
  );
  const members =
    body === undefined ? [] : unknownMembers(sent.body, inputMembers(body[1].type), [body[1].name]);
  const faults = [...parameters, ...members];
  if (faults.length > 0) {
    throw inputError(faults);
  }
}

/** As many ignored parameters are named. */
const MAX_NAMED = 10;

/** Longer names may be a key in the wrong place. */
const MAX_NAMED_LENGTH = 40;

/**
 * Names parameters of the query that an operation doesn't have, percent-encoded, in a header of the response; strict clients
 * have them refused.
 */
export function announceIgnored(
  response: ServerResponse,
  { query }: Variables,
  sent: object,
): void {
  const isKnown = (name: string) => query.some(([known]) => known === name);
  const ignored = Object.keys(sent).filter(
    (name) => name !== '' && name.length <= MAX_NAMED_LENGTH && !isKnown(name),
  );
  if (ignored.length > 0) {
    const names = ignored
      .slice(0, MAX_NAMED)
      .map((name) => encodeURIComponent(name.toWellFormed()));
    response.setHeader(IGNORED_PARAMETERS, names.join(', '));
  }
}

/**
 * Refuses a body that has members, but none that the operation has: it would change nothing.
 *
 * @throws BAD_USER_INPUT with the nearest known name of each
 */
export function refuseWithoutEffect({ body }: Variables, sent: object): void {
  const given = Object.keys(sent);
  const known = inputMembers(body?.[1].type).map(({ key }) => key);
  if (given.length > 0 && known.length > 0 && !given.some((name) => known.includes(name))) {
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
  const names = members.map(({ key }) => key);
  return [
    ...unknownNames(Object.keys(value), names, 'member', path),
    ...members.flatMap(({ key, members: inner }) =>
      unknownMembers(value[key], inner, [...path, key]),
    ),
  ];
}

function unknownNames(
  given: readonly string[],
  known: readonly string[],
  what: 'parameter' | 'member',
  path: InputPath,
): InputFault[] {
  const names = new Set(known);
  return given
    .filter((name) => !names.has(name))
    .slice(0, MAX_FAULTS)
    .map((name) => {
      const told = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
      const [nearest] = suggestionList(told, known);
      const hint = nearest === undefined ? '' : `, did you mean ${nearest}?`;
      return { path: [...path, told], message: `${told} is not a known ${what}${hint}` };
    });
}
