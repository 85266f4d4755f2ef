import type { GatewayOptions } from '../src/definition.ts';
import { StartupFailure, redactKeys } from '@store-gateway/ops';
import { expect, test } from 'vitest';
import { createGateway } from '../src/gateway.ts';
import { gateway as animals } from '../../../src/gateway.ts';

const books: GatewayOptions = {
  name: 'book-store',
  title: 'Book Store',
  description: 'books',
  version: '1.0.0',
  access: { keyPrefix: 'books_' },
  prisma: animals.prisma,
  load: animals.load,
};

test('all names for machines are made of the name of the store', () => {
  const { serviceName, metricsPrefix, cluster } = createGateway(books);
  expect({ serviceName, metricsPrefix, cluster }).toEqual({
    serviceName: 'book-store-gateway',
    metricsPrefix: 'book_store_',
    cluster: { user: 'book_store', application: 'book-store-gateway' },
  });
});

test('each fault of a store is told, in one sentence', () => {
  const faulty: GatewayOptions = {
    ...books,
    name: 'Book Store',
    title: ' ',
    access: {
      keyPrefix: 'BOOKS',
      scopes: { prices: 'a', 'loan:return': 'b', write: 'c', all: 'd', 'A b': 'e' },
    },
    prisma: { ...books.prisma, models: {}, migrations: new URL('file:///migrations') },
    pages: {
      guides: ['A b.md', 'none.md'].map((name) => new URL(`file:///nowhere/${name}`)),
    },
    defaults: { PORT: 'x', NONSENSE: '1', RATE_LIMIT: 'off', MAX_CONNECTIONS: '' },
  };
  expect(() => createGateway(faulty)).toThrow(
    new StartupFailure(
      [
        'name must be lower-case words with hyphens such as book-store, not "Book Store"',
        'title must not be empty',
        'access.keyPrefix must be 2 to 8 lower-case letters or digits and an underscore such as books_, not "BOOKS"',
        'access.scopes.write needs another name: read, write and all are built in',
        'access.scopes.all needs another name: read, write and all are built in',
        'names in access.scopes must be lower-case words such as prices, not "A b"',
        'prisma.models has no model: run prisma generate',
        'prisma.migrations must end with a slash, not file:///migrations',
        'pages.guides must be files such as first-steps.md, not file:///nowhere/A%20b.md',
        'pages.guides has file:///nowhere/none.md, which does not exist',
        'defaults.NONSENSE is not a setting: see npm start -- --help',
        'defaults.PORT must be an integer between 0 and 65535, not "x"',
      ].join('; '),
    ),
  );
});

test.each(['pg-store', 'public', 'none'])('PostgreSQL takes no role named %s', (name) => {
  expect(() => createGateway({ ...books, name })).toThrow(
    new StartupFailure(
      `name can't be ${name}: a role of PostgreSQL would have this name, which is reserved`,
    ),
  );
});

test('keys of every gateway of the process are redacted, however they are encoded', () => {
  createGateway({ ...books, access: { keyPrefix: 'e0_' } });
  createGateway(books);
  expect(redactKeys('asg_0123456789 books_0123456789 e0_0123456789 boks_0123456789')).toBe(
    'asg_… books_… e0_… boks_0123456789',
  );
  expect(redactKeys('b%6foks_01234567%389, %650_0123456789')).toBe('books_…, e0_…');
});
