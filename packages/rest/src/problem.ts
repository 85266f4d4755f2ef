import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { InputFault, InputPath } from '@store-gateway/graphql';
import type { Variables } from './variables.ts';

/** An error as RFC 9457 has it, with each fault of the inputs, which the contract's Error has no room for. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Spares most requests a closer look. */
const NAMED = /problem\+json/i;

/**
 * Whether a client names the media type and gives it no less weight than JSON (RFC 9110, 12.5.1): `*` and `application/*` are
 * for the contract's.
 */
export function wantsProblem({ headers: { accept = '' } }: IncomingMessage): boolean {
  if (!NAMED.test(accept)) {
    return false;
  }
  const weights = new Map(accept.split(',').map(weighted));
  const ofProblem = weights.get(PROBLEM_TYPE) ?? 0;
  const ofJson =
    weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return ofProblem > 0 && ofProblem >= ofJson;
}

function weighted(range: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const [, weight = '1'] =
    parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)).find(Boolean) ?? [];
  return [type, Number(weight)];
}

/** Its type is the default, about:blank, so that its title is the status's (RFC 9457, 4.2.1); `code` tells the kind. */
export function problemBody(
  { message, extensions: { code, status = 500, faults } }: GraphQLError,
  variables: Variables | undefined,
): object {
  return {
    title: STATUS_CODES[status] ?? '',
    status,
    detail: message,
    code,
    ...(faults && { errors: faults.map((fault) => problemOf(fault, variables)) }),
  };
}

/** A fault of a member has its JSON Pointer in the body (RFC 6901), as in RFC 9457, 3; any other the name of its parameter. */
function problemOf({ path, message: detail }: InputFault, variables: Variables | undefined) {
  const [argument = '', ...rest] = path;
  return variables?.body?.[1].name === argument && rest.length > 0
    ? { pointer: `#${pointerOf(rest)}`, detail }
    : { parameter: String(argument), detail };
}

function pointerOf(path: InputPath): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .map(encodeURI)
    .join('');
}
