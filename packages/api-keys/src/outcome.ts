import { loggedRequest, type AuthenticationOutcome } from '@gateway/log/request-context';

/** Notes for metrics how the authentication of the current request ended. */
export function recordOutcome(outcome: AuthenticationOutcome): void {
  const current = loggedRequest();
  if (current !== undefined) {
    current.authentication = outcome;
  }
}
