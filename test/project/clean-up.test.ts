import { expect, test } from 'vitest';
import { runCleanUps, onFileFinished } from '../support/clean-up.ts';

test('a file is cleaned up from its newest part to its oldest, whatever fails', async () => {
  const done: string[] = [];
  for (const name of ['database', 'broken', 'gateway']) {
    onFileFinished(async () => {
      await Promise.resolve();
      done.push(name);
      if (name === 'broken') {
        throw new Error(name);
      }
    });
  }
  await expect(runCleanUps()).rejects.toThrow('broken');
  expect(done).toEqual(['gateway', 'broken', 'database']);
  // Each but once.
  await runCleanUps();
  expect(done).toHaveLength(3);
});
