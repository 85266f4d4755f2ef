import type { Request } from 'express';
import { bearerChallenge } from '../../../../src/auth/bearer.ts';
import { errorCode, retryHeaders } from '@gateway/errors/coded-error';
import { limitHeaders } from '@gateway/rate-limits/rejection';

/** The headers that HTTP wants of some errors, whatever shape their body has. */
export function errorHeaders(error: unknown, request: Request): Record<string, string> {
  const code = errorCode(error);
  switch (code) {
    case 'UNAUTHENTICATED':
      return { 'WWW-Authenticate': bearerChallenge(request.headers.authorization) };
    case 'TOO_MANY_REQUESTS':
      return limitHeaders(error);
    default:
      return retryHeaders(code);
  }
}
