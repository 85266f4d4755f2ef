import { ReplicaMiss } from './replica-miss.ts';

/**
 * The result of a replica, which is not to keep a read waiting for long. What has arrived by then counts, even if the
 * process was too busy to look at it.
 *
 * @throws ReplicaMiss if it takes longer
 */
export function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(new ReplicaMiss('slow', `it does not answer within ${milliseconds} ms`));
    };
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
