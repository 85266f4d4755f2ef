import { afterAll } from 'vitest';

type CleanUp = () => PromiseLike<void>;

let pending = new AsyncDisposableStack();

/** Runs `cleanUp` when the tests of the current file have finished, wherever it is called from; the newest first. */
export function onFileFinished(cleanUp: CleanUp): void {
  pending.defer(cleanUp);
}

/** Disposes of it when the tests of the current file have finished. */
export function keptForFile<Kept extends AsyncDisposable>(kept: Kept): Kept {
  onFileFinished(() => kept[Symbol.asyncDispose]());
  return kept;
}

/**
 * Runs all that is to be cleaned up, one after the other: a database is closed after what uses it. One that fails keeps
 * none from running; all errors are thrown in the end.
 */
export async function runCleanUps(): Promise<void> {
  const current = pending;
  pending = new AsyncDisposableStack();
  await current.disposeAsync();
}

/**
 * What setup.ts calls for each file. A hook at the top of any other module of test/support would run for the first file of a
 * worker alone, because its files share their modules.
 */
export async function cleanUpAfterFile(): Promise<void> {
  // The hooks of a file that fails while it is loaded do not run.
  await runCleanUps();
  afterAll(runCleanUps);
}
