import type { Request, RequestHandler, Response } from 'express';
import { codedError } from '@store-gateway/ops/errors';
import { sendHeaders } from './send.ts';

/** The methods that a route may have; HEAD comes with GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an address takes that has routes of these methods: Express serves HEAD wherever it serves GET. */
export function withHead(methods: readonly Method[]): string[] {
  return [...new Set(methods)].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/**
 * Answers a request by a method that its address doesn't take: 204 to OPTIONS (RFC 9110, 9.3.7), an error to any other. Both
 * have the Allow header.
 *
 * @param methods that the address takes beside OPTIONS
 * @throws METHOD_NOT_ALLOWED
 */
export function answerOtherMethod(
  request: Request,
  response: Response,
  methods: readonly string[],
): void {
  const allowed = [...methods, 'OPTIONS'].join(', ');
  response.set('Allow', allowed);
  if (request.method !== 'OPTIONS') {
    throw codedError('METHOD_NOT_ALLOWED', `This address accepts ${allowed}`);
  }
  sendHeaders(response.status(204));
}

/** Answers `OPTIONS *`, which asks about the server as a whole (RFC 9110, 9.3.7). */
export function answerServerOptions(methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (request.method === 'OPTIONS' && request.url === '*') {
      answerOtherMethod(request, response, methods);
    } else {
      next();
    }
  };
}
