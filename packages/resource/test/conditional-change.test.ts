import { expect, test } from 'vitest';
import { changeIfExpected } from '../src/writes.ts';

const MISSING = new Error('no such row');

/** A row that others change between its read and the first changes of it. */
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

test('a change of any version but some is tried again until nobody changes the row before it', async () => {
  const { change, triesOf } = contended(19);
  expect(await change(['!x'])).toEqual({ version: 19 });
  expect(triesOf()).toBe(20);
});

test('a row that others change all the time is given up after 20 tries', async () => {
  const { change, triesOf } = contended(Infinity);
  await expect(change(['!x'])).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  expect(triesOf()).toBe(20);
});

test('a row whose new version is not expected is not tried again', async () => {
  const { change, triesOf } = contended(1);
  await expect(change(['0'])).rejects.toMatchObject({
    extensions: { code: 'PRECONDITION_FAILED' },
  });
  expect(triesOf()).toBe(1);
});
