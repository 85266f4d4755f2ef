import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { InputFault, InputPath } from '@store-gateway/schema-extensions/input-faults';
import type { Variables } from './variables.ts';

/** An error as RFC 9457 has it, with each fault of the inputs, which the contract's Error has no room for. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Whether a client names the media type: `*` and `application/*` are for the contract's. */
export function wantsProblem({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
    .some(
      ([type, ...parameters]) =>
        type === PROBLEM_TYPE && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)),
    );
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
