import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Context } from '../context.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import { INPUT_RULES } from './input-rules-plugin.ts';
import { LIFECYCLE } from './lifecycle-plugin.ts';

/** The builder builds nothing: each type's file adds to it, and index.ts makes the schema of it. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
}>({
  // The rules run inside whatever the Prisma plugin wraps, on the arguments as a resolver gets them. A
  // field that is gone judges no arguments any more.
  plugins: [PrismaPlugin, LIFECYCLE, INPUT_RULES],
  defaultFieldNullability: false,
  prisma: {
    client: ({ database }) => database,
    dmmf: getDatamodel(),
    // A resolver that forgets to spread `query` would read every column, whatever was asked for.
    onUnusedQuery: 'error',
  },
  lifecycle: {
    now: ({ now }) => now(),
    onDeprecatedCall: ({ caller, deprecatedCalls }, field) => {
      deprecatedCalls.count(caller.keyId, field);
    },
  },
});
