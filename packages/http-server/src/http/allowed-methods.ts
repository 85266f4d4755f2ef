import type { Response } from 'express';
import { codedError } from '@gateway/errors/coded-error';

/** METHOD_NOT_ALLOWED, to be thrown, and the Allow header that goes with it (RFC 9110, 15.5.6). */
export function methodNotAllowed(response: Response, methods: readonly string[]): Error {
  const allowed = methods.join(', ');
  response.set('Allow', allowed);
  return codedError('METHOD_NOT_ALLOWED', `This address takes ${allowed}`);
}
