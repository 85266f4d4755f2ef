import { codedError } from '@gateway/errors/coded-error';

/** Milliseconds that a request may wait for the database in all, so that it has its answer within 2 s. */
export const REQUEST_TIMEOUT_MS = 1800;

/** @param waited milliseconds that the request has waited already */
export type WithDeadline = <T>(waited: number, answer: Promise<T>) => Promise<T>;

/**
 * Rejects with SERVICE_UNAVAILABLE what a request has waited for too long. Each statement has a timeout of its own,
 * but a request may take several, one after the other. What was begun goes on: as after any such error, nobody knows
 * what has become of it.
 *
 * @param timeout milliseconds that a request may wait in all
 */
export function createDeadline(timeout = REQUEST_TIMEOUT_MS): WithDeadline {
  return (waited, answer) =>
    new Promise((resolve, reject) => {
      // A busy event loop may be late to tell that there is no time left; Node warns of timers below 0.
      const left = Math.max(0, timeout - waited);
      const timer = setTimeout(() => {
        reject(codedError('SERVICE_UNAVAILABLE', `it was not answered within ${timeout} ms`));
      }, left);
      void answer.then(resolve, reject).finally(() => {
        clearTimeout(timer);
      });
    });
}
