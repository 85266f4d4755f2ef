import { expect, test } from 'vitest';
import { followPage } from '../support/documentation/follow.ts';

const { steps, take } = await followPage('README.md');

test.each(steps)('$name', { timeout: 120_000 }, async ({ step }) => {
  const { came, promised } = await take(step);
  expect(came).toEqual(promised);
});
