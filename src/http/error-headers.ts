import type { Request } from 'express';
import { bearerChallenge } from '../auth/bearer.ts';
import { errorCode, RETRY_AFTER_SECONDS } from '../errors.ts';
import { refusalHeaders } from '../rate-limits/refusal.ts';

/** The headers that HTTP wants of some errors, whatever shape their body has. */
export function errorHeaders(error: unknown, request: Request): Record<string, string> {
  switch (errorCode(error)) {
    case 'UNAUTHENTICATED':
      return { 'WWW-Authenticate': bearerChallenge(request.headers.authorization) };
    case 'TOO_MANY_REQUESTS':
      return refusalHeaders(error);
    case 'SERVICE_UNAVAILABLE':
      return { 'Retry-After': String(RETRY_AFTER_SECONDS) };
    default:
      return {};
  }
}
