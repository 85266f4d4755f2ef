import { expect, test } from 'vitest';
import { unboundedCall } from '../src/engine.ts';
import { models } from './generated/batched-models.ts';
import { cases } from './clients.ts';

const ALL_BOOKS = 'would read all rows of Author.books';
const TAKE = 'needs a take of 1 to 1000';
const books = { orderBy: { title: 'asc' }, take: 3 };

test.each(
  cases<[model: string, operation: string, args: object]>([
    ['Author', 'findMany', { take: 9 }],
    ['Author', 'findMany', { take: -9 }],
    ['Author', 'findUnique', { where: { id: 1 }, include: { _count: true } }],
    ['Author', 'findUnique', { where: { id: 1 }, include: { books } }],
    ['Author', 'update', { where: { id: 1 }, data: {}, select: { id: true, books } }],
    ['Book', 'findMany', { take: 9, include: { author: true } }],
    ['Author', 'findFirst', { where: { name: 'x' }, include: { books: false } }],
    ['Author', 'count', {}],
    ['Author', 'groupBy', { by: ['name'], take: 5 }],
    ['Listed', 'findMany', { take: 1 }],
  ]),
)('unboundedCall accepts a bounded call: %s', (_text, [model, operation, args]) => {
  expect(unboundedCall(models, model, operation, args)).toBeUndefined();
});

test.each(
  cases<[model: string, operation: string, args: object | undefined, fault: string]>([
    ['Author', 'findMany', undefined, TAKE],
    ['Author', 'findMany', { take: 1001 }, TAKE],
    ['Author', 'groupBy', { by: ['name'] }, TAKE],
    ['Author', 'updateManyAndReturn', { data: {} }, 'needs a limit of 1 to 1000'],
    [
      'Author',
      'findMany',
      { take: 1, distinct: ['name'] },
      'would read all rows because of distinct',
    ],
    [
      'Author',
      'findFirst',
      { cursor: { id: 1 } },
      'would read all rows because of distinct or cursor',
    ],
    ['Author', 'findMany', { take: 1, include: { books } }, ALL_BOOKS],
    ['Author', 'findMany', { take: 9, include: { _count: true } }, 'would read all rows of the'],
    ['Author', 'findFirst', { include: { books } }, ALL_BOOKS],
    ['Author', 'findUnique', { include: { books: true } }, ALL_BOOKS],
    ['Author', 'findUnique', { include: { books: { ...books, cursor: { id: 1n } } } }, ALL_BOOKS],
    ['Book', 'update', { select: { author: { select: { books } } } }, ALL_BOOKS],
    [
      'Author',
      'findUnique',
      { include: { books: { ...books, include: { editor: { include: { edited: books } } } } } },
      'would read all rows of Author.edited',
    ],
  ]),
)('unboundedCall reports an unbounded call: %s', (_text, [model, operation, args, fault]) => {
  expect(unboundedCall(models, model, operation, args)).toContain(`${model}.${operation} ${fault}`);
});
