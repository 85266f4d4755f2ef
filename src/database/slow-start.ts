import { log } from '../log.ts';

/** Milliseconds after which a start says what it waits for. */
const TOLD_AFTER_MS = 5000;

/** Waits for a part of the start, and tells in the log what for if that takes long. */
export async function tellWait<T>(waitingFor: string, awaited: Promise<T>): Promise<T> {
  const telling = setTimeout(() => {
    log.warn({ waitingFor }, 'still starting');
  }, TOLD_AFTER_MS);
  try {
    return await awaited;
  } finally {
    clearTimeout(telling);
  }
}
