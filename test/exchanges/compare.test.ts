import { expect, test } from 'vitest';
import { differencesOf, type Recorded } from './compare.ts';

test('exchanges that differ in the same lines are listed together', () => {
  const before: readonly Recorded[] = [
    ['same', ['200', 'etag: "a"', '"[]"']],
    ['first', ['200', 'etag: "a"', '"[]"']],
    ['second', ['200', 'etag: "a"', '"{}"']],
    ['reordered', ['200', 'vary: Accept']],
    ['lost', ['404']],
  ];
  const after: readonly Recorded[] = [
    ['same', ['200', 'etag: "a"', '"[]"']],
    ['first', ['200', 'etag: "b"', '"[]"']],
    ['second', ['200', 'etag: "b"', '"{}"']],
    ['reordered', ['vary: Accept', '200']],
    ['added', ['204']],
  ];
  expect(Object.fromEntries(differencesOf(before, after))).toEqual({
    '- etag: "a"\n+ etag: "b"': ['first', 'second'],
    'another order:\n- 200\n- vary: Accept\n+ vary: Accept\n+ 200': ['reordered'],
    '- 404': ['lost'],
    '+ 204': ['added'],
  });
});
