import SchemaBuilder from '@pothos/core';
import { builderOptions } from '@gateway/gateway/builder-options';
import type { Context } from '@gateway/gateway/context';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

export const builder = new SchemaBuilder<{
  Context: Context<PrismaClient>;
  PrismaTypes: PrismaTypes;
  Scalars: { ID: { Input: string; Output: bigint | number | string } };
  DefaultFieldNullability: false;
}>({
  ...builderOptions(models),
  prisma: { client: ({ database }) => database, dmmf: getDatamodel() },
});
