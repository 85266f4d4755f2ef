import { expect, test } from 'vitest';
import { changeIfExpected } from '../src/writes.ts';

const MISSING = new Error('no such row');

/** A row that other writers change between the read and the write in the first `lost` attempts. */
function contended(lost: number) {
  const row = { version: 0 };
  let tries = 0;
  return {
    triesOf: () => tries,
    change: (expected: readonly string[]) =>
      changeIfExpected({
        id: 1n,
        expected,
        versionOf: ({ version }) => String(version),
        asRead: ({ version }) => ({ version }),
        find: () => Promise.resolve({ ...row }),
        change: () => {
          tries += 1;
          if (tries > lost) {
            return Promise.resolve(row);
          }
          row.version += 1;
          return Promise.reject(MISSING);
        },
        isMissing: (thrown) => Promise.resolve(thrown === MISSING),
      }),
  };
}

test('a change that excludes versions is retried after conflicts until it succeeds', async () => {
  const { change, triesOf } = contended(19);
  expect(await change(['!x'])).toEqual({ version: 19 });
  expect(triesOf()).toBe(20);
});

test('a change fails with SERVICE_UNAVAILABLE after 20 conflicts', async () => {
  const { change, triesOf } = contended(Infinity);
  await expect(change(['!x'])).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  expect(triesOf()).toBe(20);
});

test('a change whose expected version is gone is not retried', async () => {
  const { change, triesOf } = contended(1);
  await expect(change(['0'])).rejects.toMatchObject({
    extensions: { code: 'PRECONDITION_FAILED' },
  });
  expect(triesOf()).toBe(1);
});
