import { createTimeouts } from '@store-gateway/ops';
import { tooSlow } from '@store-gateway/ops/errors';

/** A request's timeout budget for the database, so that it is answered within 2 s. */
export const REQUEST_TIMEOUT_MS = 1800;

/**
 * Gives the answer, unless the timeout budget is used up before.
 *
 * @param waited milliseconds that the request has waited already
 * @throws SERVICE_UNAVAILABLE
 */
export type WithDeadline = <T>(waited: number, answer: Promise<T>) => Promise<T>;

/**
 * Rejects with SERVICE_UNAVAILABLE once a request's timeout budget is used up: each statement has a timeout of its own, but
 * a request may run several. Work in progress isn't cancelled, so, as after any such error, its outcome is unknown.
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
