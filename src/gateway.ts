import packageJson from '../package.json' with { type: 'json' };
import { createGateway, runGateway } from '@store-gateway/gateway';
import { PrismaClient } from '../prisma/generated/client.ts';
import { models } from '../prisma/generated/batched-models.ts';
import { access } from './auth/access.ts';
import { pages } from './pages/pages.ts';

/** The store of animals. */
export const gateway = createGateway({
  name: 'animal-store',
  title: 'Animal Store Gateway',
  description: "a store's animals",
  version: packageJson.version,
  access,
  prisma: {
    Client: PrismaClient,
    models,
    migrations: new URL('../prisma/migrations/', import.meta.url),
  },
  load: () => import('./api.ts'),
  pages,
});

/** Runs the store's command line as this process's program. */
export const run = (args: readonly string[]): Promise<void> =>
  runGateway(gateway, args, {
    seed: async () => (await import('./seed/seed.ts')).seed(gateway),
  });
