import { isFaultOfStatement } from '../failure.ts';

/** `refused`: the statement is at fault, not the replica. `unavailable`: no replica is ready. */
export type Miss = 'ahead' | 'behind' | 'failed' | 'refused' | 'slow' | 'unavailable';

/** Why a read goes to the primary instead. */
export class ReplicaMiss extends Error {
  override readonly name = 'ReplicaMiss';
  readonly miss: Miss;

  /** @param reason for the log */
  constructor(miss: Miss, reason: string) {
    super(reason);
    this.miss = miss;
  }
}

/** The miss that a thrown error comes to. */
export function asMiss(error: unknown): ReplicaMiss {
  if (error instanceof ReplicaMiss) {
    return error;
  }
  const miss = isFaultOfStatement(error) ? 'refused' : 'failed';
  const origin = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ReplicaMiss(miss, origin instanceof Error ? origin.message : String(origin));
}

/**
 * The result of a replica, which is not to keep a read waiting for long. What has arrived by then counts, even if the
 * process was too busy to look at it.
 *
 * @throws ReplicaMiss if it takes longer
 */
export function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(new ReplicaMiss('slow', `it does not respond within ${milliseconds} ms`));
    };
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
