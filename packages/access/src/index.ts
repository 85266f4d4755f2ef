export {
  createKey,
  isApiKey,
  keyDatabase,
  type KeyLookups,
  type KeyRecord,
  listKeys,
  makeFirstKey,
  restrictKey,
  revokeKey,
  rotateKey,
} from './keys/api-keys.ts';
export {
  bearerToken,
  createAuthenticate,
  createValidKeys,
  expiredMessage,
  recordOutcome,
  REFUSALS,
  type ValidKeys,
} from './keys/authenticate.ts';
export {
  type Caller,
  callerOfId,
  commonScopes,
  hasScope,
  type Restrictions,
  UNRESTRICTED,
} from './keys/caller.ts';
export { createDeferredLookups, createFailedAttempts } from './keys/failed-attempts.ts';
export { type AccessToken, InvalidToken, ProviderUnavailable } from './tokens/claims.ts';
