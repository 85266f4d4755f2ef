import { expect, test } from 'vitest';
import { referenceTo } from '../src/message/query.ts';

test.each([
  ['/', '/', './'],
  ['/', '/docs', 'docs'],
  ['/docs', '/docs#/books', 'docs#/books'],
  ['/docs', '/', './'],
  ['/v1/books', '/v1/books/7', 'books/7'],
  ['/v1/books/7', '/v1/books?genre=poem', '../books?genre=poem'],
  ['/v1/books/7', '/docs', '../../docs'],
  ['/v1/openapi.json', '/v1', '../v1'],
  ['/v1/books', '/v1?a=/v1/books', '../v1?a=/v1/books'],
])('from %s, the reference to %s is %s, under any prefix', (from, target, reference) => {
  expect(referenceTo(target, { from })).toBe(reference);
  for (const prefix of ['', '/store', '/a/b']) {
    const base = `https://shop.example${prefix}`;
    expect(new URL(reference, base + from).href).toBe(new URL(base + target).href);
  }
});

test('where the public URL is known, the reference is absolute, whoever asks', () => {
  const publicUrl = 'https://shop.example/store';
  expect(referenceTo('/docs#/books', { from: '/v1/books/7', publicUrl })).toBe(
    'https://shop.example/store/docs#/books',
  );
});
