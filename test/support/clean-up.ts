import { afterAll } from 'vitest';

type CleanUp = () => PromiseLike<void>;

const pending: CleanUp[] = [];

/** Runs `cleanUp` when the tests of the current file have finished, wherever it is called from; the newest first. */
export function onFileFinished(cleanUp: CleanUp): void {
  pending.push(cleanUp);
}

/**
 * What setup.ts calls for each file. A hook at the top of any other module of test/support would run for the first file of a
 * worker alone, because its files share their modules.
 */
export function cleanUpAfterFile(): void {
  afterAll(async () => {
    for (const cleanUp of pending.splice(0).toReversed()) {
      // One after the other: a database is closed after what uses it.
      await cleanUp();
    }
  });
}
