import { inject } from 'vitest';
import { openDatabase, type Database } from '../../packages/gateway/src/database/client.ts';
import { MINIMUM_POOL_SIZE } from '../../packages/gateway/src/database/pool-size.ts';
import { createGateway } from '../../packages/gateway/src/gateway.ts';
import { models } from '../../packages/gateway/test/generated/batched-models.ts';
import { PrismaClient } from '../../packages/gateway/test/generated/client.ts';
import { gateway } from '../../src/gateway.ts';
import { onFileFinished } from './clean-up.ts';

/** A store of the gateway's own tables. */
const ofOwnTables = createGateway({
  ...gateway,
  prisma: { ...gateway.prisma, Client: PrismaClient, models },
  load: () => Promise.reject(new Error('nobody serves the tables of the gateway')),
});

export type OwnTables = Database<PrismaClient>;

/** The gateway's own tables of a database, as a store has its own, until the tests of the file are over. */
export function openOwnTables(url: string): OwnTables {
  const tables = openDatabase(ofOwnTables, url, {
    poolSize: MINIMUM_POOL_SIZE,
    isSharded: inject('isSharded'),
  });
  onFileFinished(() => tables.$disconnect());
  return tables;
}
