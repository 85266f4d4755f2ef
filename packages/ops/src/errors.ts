export {
  codedError,
  defineError,
  ERROR_KINDS,
  errorCode,
  type ErrorCode,
  errorStatus,
  type OwnError,
  placedAt,
  RETRY_AFTER_SECONDS,
  retryHeaders,
  TOO_SLOW,
  tooSlow,
} from './errors/coded-error.ts';
export { missingScopes, scopeChallenge, scopesInWords } from './errors/missing-scopes.ts';
export { publicError } from './errors/public-error.ts';
