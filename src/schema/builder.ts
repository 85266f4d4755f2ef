import SchemaBuilder from '@pothos/core';
import type { Context } from '@gateway/gateway/context';
import { builderOptions } from '@gateway/gateway/builder-options';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

/** Each type's file adds to it; index.ts builds the schema. */
export const builder = new SchemaBuilder<{
  Context: Context<PrismaClient>;
  PrismaTypes: PrismaTypes;
  // A bigint is serialized as its digits (packages/pothos-plugins/src/exact-id.ts).
  Scalars: { ID: { Input: string; Output: bigint | number | string } };
  DefaultFieldNullability: false;
}>({
  ...builderOptions(models),
  prisma: { client: ({ database }) => database, dmmf: getDatamodel() },
});
