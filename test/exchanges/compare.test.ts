import { expect, test } from 'vitest';
import { differencesOf, type Recorded } from './compare.ts';

const before: readonly Recorded[] = [
  ['same', ['200', 'etag: "a"', '"[]"']],
  ['first', ['200', 'etag: "a"', '"[]"']],
  ['second', ['200', 'etag: "a"', '"{}"']],
  ['reordered', ['200', 'etag: "a"', 'vary: Accept']],
  ['lost', ['404']],
];

test('a recording does not differ from itself', () => {
  expect(differencesOf(before, before)).toEqual(new Map());
});

test('exchanges that differ in the same lines are listed together', () => {
  const after: readonly Recorded[] = [
    ['same', ['200', 'etag: "a"', '"[]"']],
    ['first', ['200', 'etag: "b"', '"[]"']],
    ['second', ['200', 'etag: "b"', '"{}"']],
    ['reordered', ['200', 'vary: Accept', 'etag: "a"']],
    ['added', ['204']],
  ];
  expect(differencesOf(before, after)).toEqual(
    new Map([
      ['- etag: "a"\n+ etag: "b"', ['first', 'second']],
      [
        'another order:\n- 200\n- etag: "a"\n- vary: Accept\n+ 200\n+ vary: Accept\n+ etag: "a"',
        ['reordered'],
      ],
      ['- 404', ['lost']],
      ['+ 204', ['added']],
    ]),
  );
});
