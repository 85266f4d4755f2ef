import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { InputFault, InputPath } from '@store-gateway/graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';
import type { Variables } from './members.ts';

/** The media type of problem details (RFC 9457). Unlike the contract's Error, they list each invalid input. */
export const PROBLEM_TYPE = 'application/problem+json';

/** A quick check: the headers of most requests don't match, and need not be parsed. */
const NAMED = /problem\+json/i;

/**
 * Whether a client gives problem details at least the same weight as JSON (RFC 9110, 12.5.1). Wildcards select the contract's
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
 * Returns the problem details of an error. Their type is the default, about:blank, so their title is the status's phrase (RFC
 * 9457, 4.2.1). `code` identifies the kind of error.
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

/** The message for an unknown address. */
const NOT_FOUND = 'There is nothing at this address';

/** Returns the error for an unknown address: NOT_FOUND. */
export function notFound(): GraphQLError {
  return codedError('NOT_FOUND', NOT_FOUND);
}

/**
 * Returns the message of the 404 response to a path value that an input rule rejects; undefined if no path parameter has a rule.
 */
export function pathNotFound({ path }: Variables): string | undefined {
  return path.some(([, { extensions }]) => extensions.rule !== undefined) ? NOT_FOUND : undefined;
}

/**
 * Returns the error to send: a NOT_FOUND if there is one, otherwise the first error. If that error only rejects values in the
 * path, it becomes NOT_FOUND, because the address doesn't exist.
 */
export function errorToSend(
  errors: readonly GraphQLError[],
  { path }: Variables,
): GraphQLError | undefined {
  const isOfPath = (fault: InputPath) => path.some(([, input]) => isSame(input.path, fault));
  return (
    errors.find(({ extensions }) => extensions['code'] === ('NOT_FOUND' satisfies ErrorCode)) ??
    errors.map((error) => {
      const { faults = [] } = error.extensions;
      const isNowhere =
        error.extensions['code'] === ('BAD_USER_INPUT' satisfies ErrorCode) &&
        faults.length > 0 &&
        faults.every((fault) => isOfPath(fault.path));
      return isNowhere ? notFound() : error;
    })[0]
  );
}

function isSame(one: InputPath, other: InputPath): boolean {
  return one.join('.') === other.join('.');
}
