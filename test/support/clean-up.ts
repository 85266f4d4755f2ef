import { afterAll } from 'vitest';

type CleanUp = () => PromiseLike<void>;

let pending = new AsyncDisposableStack();

/** Runs `cleanUp` when the current file's tests are over, wherever it is called from; the latest registration runs first. */
export function onFileFinished(cleanUp: CleanUp): void {
  pending.defer(cleanUp);
}

/** Disposes of a resource when the current file's tests are over. */
export function keptForFile<Kept extends AsyncDisposable>(kept: Kept): Kept {
  onFileFinished(() => kept[Symbol.asyncDispose]());
  return kept;
}

/**
 * Runs all clean-ups one after the other, so that a database is closed after what uses it. A failure does not stop the
 * others; all errors are thrown at the end.
 */
export async function runCleanUps(): Promise<void> {
  const current = pending;
  pending = new AsyncDisposableStack();
  await current.disposeAsync();
}

/**
 * Called by setup.ts for each file. A hook at the top of any other module in test/support would run only for a worker's
 * first file, because its files share modules.
 */
export async function cleanUpAfterFile(): Promise<void> {
  // Hooks do not run for a file that fails while it is loaded.
  await runCleanUps();
  afterAll(runCleanUps);
}
