import { createTimeouts } from '@store-gateway/ops';
import { tooSlow } from '@store-gateway/ops/errors';

/** A request's timeout budget for the database, so that it is answered within 2 s. */
export const REQUEST_TIMEOUT_MS = 1800;

/**
 * Resolves to the answer, unless the timeout budget is used up first.
 *
 * @param waited milliseconds that the request has waited already
 * @throws SERVICE_UNAVAILABLE
 */
export type WithDeadline = <T>(waited: number, answer: Promise<T>) => Promise<T>;

/**
 * Creates a deadline, which rejects with SERVICE_UNAVAILABLE when a request's timeout budget is used up: each statement has its
 * own timeout, but a request may run several. Work in progress isn't cancelled, so its outcome is unknown, as after any such
 * error.
 *
 * @param timeout the budget in milliseconds
 */
export function createDeadline(timeout = REQUEST_TIMEOUT_MS): WithDeadline {
  const startTimeout = createTimeouts();
  return (waited, answer) =>
    new Promise((resolve, reject) => {
      const stop = startTimeout(timeout - waited, () => {
        reject(tooSlow(`the request was not answered within ${timeout} ms`));
      });
      answer.then(resolve, reject).finally(stop);
    });
}
