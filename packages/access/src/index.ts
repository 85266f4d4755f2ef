export {
  type Caller,
  callerOfId,
  commonScopes,
  createKey,
  hasScope,
  isApiKey,
  keyDatabase,
  type KeyLookups,
  type KeyRecord,
  listKeys,
  ensureFirstKey,
  type Restrictions,
  restrictKey,
  revokeKey,
  rotateKey,
  UNRESTRICTED,
} from './keys/api-keys.ts';
export {
  bearerToken,
  createAuthenticate,
  createValidKeys,
  recordOutcome,
  REFUSALS,
  type ValidKeys,
} from './keys/authenticate.ts';
export { createDeferredLookups, createFailedAttempts } from './keys/failed-attempts.ts';
export { type AccessToken, InvalidToken, ProviderUnavailable } from './tokens/claims.ts';
