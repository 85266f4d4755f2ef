import { expect, test } from 'vitest';
import { followPage } from '../support/documentation/follow.ts';

const { steps, take } = await followPage('docs/graphql-client.md', {
  running: 'npm start',
  packagesOf: 'examples/graphql-client',
});

test.each(steps)('$name', { timeout: 120_000 }, async ({ step }) => {
  const { came, promised } = await take(step);
  expect(came).toEqual(promised);
});
