import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

export const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);

/** The builder of an input's fields. */
export type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];
