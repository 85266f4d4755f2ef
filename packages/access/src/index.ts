export { isApiKey } from './keys/api-key.ts';
export { createAuthenticate, recordOutcome } from './keys/authenticate.ts';
export { bearerToken } from './keys/bearer-token.ts';
export { type Caller, callerOfId, hasScope, type Scopes } from './keys/caller.ts';
export { createDeferredLookups } from './keys/deferred-lookups.ts';
export { createFailedAttempts } from './keys/failed-attempts.ts';
export { makeFirstKey } from './keys/first-key.ts';
export { keyDatabase } from './keys/key-database.ts';
export type { KeyLookups } from './keys/key-lookups.ts';
export {
  createKey,
  type KeyRecord,
  listKeys,
  restrictKey,
  revokeKey,
  rotateKey,
} from './keys/key-records.ts';
export { expiredMessage, REFUSALS } from './keys/refusals.ts';
export { commonScopes, type Restrictions, UNRESTRICTED } from './keys/restrictions.ts';
export { createValidKeys, type ValidKeys } from './keys/valid-keys.ts';
export type { AccessToken } from './tokens/claims.ts';
export { InvalidToken, ProviderUnavailable } from './tokens/refusals.ts';
