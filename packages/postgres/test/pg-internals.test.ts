import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { expectTestedVersion, TESTED_VERSION } from '../src/pg-internals.ts';

test('another version of pg than the one that was tested stops the start', () => {
  expectTestedVersion();
  expect(packageJson.peerDependencies.pg).toBe(TESTED_VERSION);
  expect(() => {
    expectTestedVersion('8.24.0');
  }).toThrow(`pg 8.24.0 is installed, but its internals are used as they are in ${TESTED_VERSION}`);
});
