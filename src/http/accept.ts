import type { Request } from 'express';
import { codedError } from '../errors.ts';

/**
 * The media type, of those offered, that a client likes best; the first one if it doesn't mind.
 *
 * @throws NOT_ACCEPTABLE if it takes none of them
 */
export function acceptedType(request: Request, offered: readonly string[]): string {
  const accepted = request.accepts([...offered]);
  if (accepted === false) {
    throw codedError('NOT_ACCEPTABLE', `This address answers with ${offered.join(' or ')}`);
  }
  return accepted;
}
