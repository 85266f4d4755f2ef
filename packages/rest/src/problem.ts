import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { InputFault, InputPath } from '@store-gateway/graphql';
import type { Variables } from './variables.ts';

/** The media type of problem details (RFC 9457). They list each fault of the inputs, unlike the contract's Error. */
export const PROBLEM_TYPE = 'application/problem+json';

/** A quick check, after which most requests need no closer one. */
const NAMED = /problem\+json/i;

/**
 * Whether a client names the media type with at least the weight of JSON (RFC 9110, 12.5.1). Wildcards select the contract's
 * Error.
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

/**
 * Returns the problem details of an error. Its type is the default, about:blank, so its title is the status's phrase (RFC 9457,
 * 4.2.1); `code` identifies the kind of error.
 */
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

/**
 * Returns a fault with the JSON Pointer (RFC 6901) of its member in the body, as in RFC 9457, 3, or with its parameter's name.
 */
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
