import SchemaBuilder, { type SchemaTypes } from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Violation } from '@store-gateway/graphql';
import { RESOURCES } from '@store-gateway/resource';
import type { openClients } from '../../packages/data/test/clients.ts';
import { models } from '../../packages/data/test/generated/batched-models.ts';
import type PrismaTypes from '../../packages/data/test/generated/pothos.ts';
import { getDatamodel } from '../../packages/data/test/generated/pothos.ts';

type Database = Awaited<ReturnType<typeof openClients>>['batched'];

type PluginName = keyof PothosSchemaTypes.Plugins<SchemaTypes>;

/**
 * Returns the schema builder for a different store: authors, and their books.
 *
 * @param violationOf finds the constraint that an error violated; none by default
 */
export function libraryBuilder(
  plugins: PluginName[] = [PrismaPlugin, RESOURCES],
  violationOf: (error: unknown) => Promise<Violation | undefined> = () =>
    Promise.resolve(undefined),
) {
  return new SchemaBuilder<{
    Context: { database: Database };
    PrismaTypes: PrismaTypes;
    Scalars: { ID: { Input: string; Output: bigint | number | string } };
    DefaultFieldNullability: false;
  }>({
    plugins,
    defaultFieldNullability: false,
    prisma: { client: ({ database }) => database, dmmf: getDatamodel() },
    resources: { models },
    violations: { violationOf },
    // Not used here, but required.
    idempotency: { deduplicating: (context) => context },
    lifecycle: { now: Date.now },
  });
}

export type LibraryBuilder = ReturnType<typeof libraryBuilder>;
