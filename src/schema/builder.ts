import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

/** The builder that each type's file adds to; index.ts builds the schema. */
export const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);
