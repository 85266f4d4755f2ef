import { availableParallelism } from 'node:os';
import { StartupFailure } from '@store-gateway/ops';
import { expect, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';

test.each(['0', '257', '1.5', 'all', 'auto '])('WORKERS=%j is refused', (workers) => {
  expect(() => readConfig({ WORKERS: workers })).toThrow(
    new StartupFailure(
      `WORKERS must be an integer between 1 and 256, or auto, not ${JSON.stringify(workers)}`,
    ),
  );
});

test.each([
  ['', 1],
  ['4', 4],
  ['auto', availableParallelism()],
])('WORKERS=%j is %i workers', (workers, expected) => {
  expect(readConfig({ WORKERS: workers })).toMatchObject({ workers: expected });
});
