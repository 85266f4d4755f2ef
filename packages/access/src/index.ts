export { isApiKey } from './keys/key-records.ts';
export {
  createAuthenticate,
  recordOutcome,
  bearerToken,
  expiredMessage,
  REFUSALS,
  createValidKeys,
  type ValidKeys,
} from './keys/authenticate.ts';
export {
  type Caller,
  callerOfId,
  hasScope,
  commonScopes,
  type Restrictions,
  UNRESTRICTED,
} from './keys/caller.ts';
export { createDeferredLookups, keyDatabase, type KeyLookups } from './keys/key-lookups.ts';
export { createFailedAttempts } from './keys/failed-attempts.ts';
export { makeFirstKey } from './keys/first-key.ts';
export {
  createKey,
  type KeyRecord,
  listKeys,
  restrictKey,
  revokeKey,
  rotateKey,
} from './keys/key-records.ts';
export { type AccessToken, InvalidToken, ProviderUnavailable } from './tokens/claims.ts';
