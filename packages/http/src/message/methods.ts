import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';
import { sendHeaders } from './send.ts';

/** The methods that an endpoint may have; HEAD comes with GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The methods that change nothing (RFC 9110, 9.2.1). */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request changes nothing. */
export function isRead({ method = '' }: IncomingMessage): boolean {
  return READ_METHODS.includes(method);
}

/** The methods that an address accepts if its endpoints have these: HEAD comes with GET. */
export function withHead(methods: readonly Method[]): string[] {
  return [...new Set(methods)].flatMap((method) => (method === 'GET' ? READ_METHODS : [method]));
}

/**
 * Answers a request whose method its address doesn't accept: OPTIONS gets 204 (RFC 9110, 9.3.7), and any other method an error.
 * Both responses have the Allow header.
 *
 * @param methods that the address accepts besides OPTIONS
 * @throws METHOD_NOT_ALLOWED
 */
export function answerOtherMethod(
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
): void {
  const allowed = [...methods, 'OPTIONS'].join(', ');
  response.setHeader('Allow', allowed);
  if (request.method !== 'OPTIONS') {
    throw codedError('METHOD_NOT_ALLOWED', `This address accepts ${allowed}`);
  }
  response.statusCode = 204;
  sendHeaders(response);
}
