import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Context } from '../context.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import { IDEMPOTENCY } from '@gateway/pothos-plugins/idempotency-plugin';
import { INPUT_RULES } from '@gateway/pothos-plugins/input-rules-plugin';
import { LIFECYCLE } from '@gateway/pothos-plugins/lifecycle-plugin';
import { RESOURCES } from '@gateway/pothos-plugins/resource-plugin';
import { deduplicating } from './idempotency.ts';

/** The builder builds nothing: each type's file adds to it, and index.ts makes the schema of it. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  // A bigint is sent as the text of its digits (@gateway/pothos-plugins).
  Scalars: { ID: { Input: string; Output: bigint | string } };
  DefaultFieldNullability: false;
}>({
  // The rules run inside whatever the Prisma plugin wraps, on the arguments as a resolver gets them. A
  // field that is gone judges no arguments any more.
  plugins: [PrismaPlugin, LIFECYCLE, INPUT_RULES, IDEMPOTENCY, RESOURCES],
  defaultFieldNullability: false,
  prisma: {
    client: ({ database }) => database,
    dmmf: getDatamodel(),
  },
  idempotency: { deduplicating },
  lifecycle: {
    now: ({ now }) => now(),
    onDeprecatedCall: ({ caller, deprecatedCalls }, field) => {
      deprecatedCalls.count(caller.keyId, field);
    },
  },
});
