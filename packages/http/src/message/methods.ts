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

/** The methods that an address accepts whose endpoints have these: HEAD comes with GET. */
export function withHead(methods: readonly Method[]): string[] {
  return [...new Set(methods)].flatMap((method) => (method === 'GET' ? READ_METHODS : [method]));
}

/**
 * Answers a request by a method that its address doesn't take: 204 to OPTIONS (RFC 9110, 9.3.7), an error to any other. Both
 * have the Allow header.
 *
 * @param methods that the address takes beside OPTIONS
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
