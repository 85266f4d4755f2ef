import { createGateway, runGateway } from '@store-gateway/gateway';
import { models } from '../prisma/generated/batched-models.ts';
import { PrismaClient } from '../prisma/generated/client.ts';

/** A library: books, their authors, and who has borrowed them. */
export const gateway = createGateway({
  name: 'library',
  title: 'Library',
  description: 'books, authors and loans',
  version: '1.0.0',
  access: { keyPrefix: 'lib_', scopes: { loans: 'See who has borrowed which book.' } },
  prisma: {
    Client: PrismaClient,
    models,
    migrations: new URL('../prisma/migrations/', import.meta.url),
  },
  load: () => import('./api.ts'),
});

export const run = (args: readonly string[]): Promise<void> => runGateway(gateway, args);
