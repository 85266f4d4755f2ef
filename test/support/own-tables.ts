import type { Gateway } from '../../packages/gateway/src/definition.ts';
import type { Models } from '@store-gateway/data';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../packages/gateway/src/database/client.ts';
import { MINIMUM_POOL_SIZE } from '../../packages/gateway/src/config/config.ts';
import { PrismaClient } from '../../packages/gateway/test/generated/client.ts';
import { gateway } from '../../src/gateway.ts';
import { onFileFinished } from './clean-up.ts';
import { PATIENT_TIMEOUTS } from './store-database.ts';

/** Statements are only generated for the model whose rows tests write as a store would. */
const models: Models = {
  TrustedDocument: {
    name: 'TrustedDocument',
    table: '_gateway_trusted_documents',
    columns: [
      { field: 'hash', column: 'hash', pgType: 'text', isRequired: true },
      { field: 'document', column: 'document', pgType: 'text', isRequired: true },
      {
        field: 'createdAt',
        column: 'created_at',
        pgType: 'timestamptz',
        isRequired: true,
        generated: 'now()',
      },
    ],
    id: 'hash',
    indexes: [{ fields: [{ field: 'hash', order: 'asc' }] }],
    relations: [],
    rowAt: ([hashes, documents, moments], index) => ({
      hash: hashes?.[index],
      document: documents?.[index],
      createdAt: moments?.[index],
    }),
  },
};

/** A store over the gateway's own tables, which cannot be served, because no model may use them. */
const ofOwnTables: Gateway<PrismaClient> = {
  ...gateway,
  prisma: { ...gateway.prisma, Client: PrismaClient, models },
  load: () => Promise.reject(new Error('the tables of the gateway are not served')),
};

export type OwnTables = Database<PrismaClient>;

/** Opens a database's own gateway tables like a store's tables, until the file's tests are over. */
export function openOwnTables(url: string, hasEarlierNames = false): OwnTables {
  const tables = openDatabase(ofOwnTables, url, {
    timeouts: PATIENT_TIMEOUTS,
    poolSize: MINIMUM_POOL_SIZE,
    isSharded: inject('isSharded'),
    hasEarlierNames,
  });
  onFileFinished(() => tables.$disconnect());
  return tables;
}
