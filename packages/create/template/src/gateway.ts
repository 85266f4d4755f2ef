import { createGateway, runGateway } from '@store-gateway/gateway';
import { models } from '../prisma/generated/batched-models.ts';
import { PrismaClient } from '../prisma/generated/client.ts';

/**
 * The store. All names derive from `name`, and API keys begin with `keyPrefix`. Never change either, because existing keys,
 * folders and metrics depend on them.
 */
export const gateway = createGateway({
  name: 'animal-store',
  title: 'Animal Store',
  description: 'books',
  version: '1.0.0',
  access: { keyPrefix: 'animal_' },
  prisma: {
    Client: PrismaClient,
    models,
    migrations: new URL('../prisma/migrations/', import.meta.url),
  },
  load: () => import('./api.ts'),
});

export const run = (args: readonly string[]): Promise<void> => runGateway(gateway, args);
