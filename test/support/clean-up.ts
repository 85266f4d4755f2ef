import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Runs `cleanUp` when the current test has finished or, outside of a test, when the current file has. The files of a
 * worker share their modules, so a hook at the top of a module of test/support would run for the first file alone.
 */
export function onFinished(cleanUp: () => PromiseLike<void>): void {
  if (TestRunner.getCurrentTest() === undefined) {
    afterAll(async () => {
      await cleanUp();
    });
  } else {
    onTestFinished(async () => {
      await cleanUp();
    });
  }
}
