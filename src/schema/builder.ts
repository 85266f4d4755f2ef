import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Context } from '../context.ts';
import { models } from '../database/generated/batched-models.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import { IDEMPOTENCY } from '@gateway/pothos-plugins/idempotency-plugin';
import { INPUT_RULES } from '@gateway/pothos-plugins/input-rules-plugin';
import { LIFECYCLE } from '@gateway/pothos-plugins/lifecycle-plugin';
import { RESOURCES } from '@gateway/pothos-plugins/resource-plugin';
import { VIOLATIONS } from '@gateway/pothos-plugins/violations-plugin';
import { deduplicating } from './idempotency.ts';
import { violationIn } from './violations.ts';

/** Each type's file adds to it; index.ts builds the schema. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  // A bigint is serialized as its digits (packages/pothos-plugins/src/exact-id.ts).
  Scalars: { ID: { Input: string; Output: bigint | number | string } };
  DefaultFieldNullability: false;
}>({
  // The first plugin's wrapper is the outermost: a removed field is GONE whatever its arguments.
  plugins: [PrismaPlugin, LIFECYCLE, INPUT_RULES, VIOLATIONS, IDEMPOTENCY, RESOURCES],
  defaultFieldNullability: false,
  prisma: {
    client: ({ database }) => database,
    dmmf: getDatamodel(),
  },
  violations: { violationOf: violationIn },
  idempotency: { deduplicating },
  resources: { models },
  lifecycle: {
    now: ({ now }) => now(),
  },
});
