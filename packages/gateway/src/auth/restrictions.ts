import type { IncomingMessage } from 'node:http';
import type { Caller } from '@store-gateway/access';
import { codedError } from '@store-gateway/ops/errors';

const DOCUMENTS_ONLY = 'This API key may only send trusted documents to /graphql';
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

/**
 * Expects that a caller's key may be used for a request, as far as its head says.
 *
 * @param takesDocuments whether the address looks after keys for trusted documents alone
 * @throws FORBIDDEN
 */
export function expectWithinRestrictions(
  { origins, documentsOnly }: Caller,
  { headers }: IncomingMessage,
  takesDocuments: boolean,
): void {
  if (origins !== null && !origins.includes(headers.origin ?? '')) {
    throw codedError(
      'FORBIDDEN',
      `This API key only works on pages of ${alternatives.format(origins)}`,
    );
  }
  if (documentsOnly && !takesDocuments) {
    throw codedError('FORBIDDEN', DOCUMENTS_ONLY);
  }
}
