import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Context } from '../context.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import type { PetRow } from '../database/pets/pet-row.ts';
import '@gateway/pothos-plugins/connection-field';
import '@gateway/pothos-plugins/date-type';
import '@gateway/pothos-plugins/exact-id';
import '@gateway/pothos-plugins/get-field';
import { INPUT_RULES } from '@gateway/pothos-plugins/input-rules-plugin';
import { LIFECYCLE } from '@gateway/pothos-plugins/lifecycle-plugin';
import '@gateway/pothos-plugins/list-field';
import { PLAIN_FIELDS } from '@gateway/pothos-plugins/plain-fields-plugin';
import { RESOURCES } from '@gateway/pothos-plugins/resource-plugin';

/** Prisma's models, with an animal's row in the form in which the database gives it. */
type Models = Omit<PrismaTypes, 'Pet'> & {
  Pet: Omit<PrismaTypes['Pet'], 'Shape'> & { Shape: PetRow };
};

/** The builder builds nothing: each type's file adds to it, and index.ts makes the schema of it. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: Models;
  Scalars: { ID: { Input: string; Output: string | bigint } };
  DefaultFieldNullability: false;
}>({
  // The rules run inside whatever the Prisma plugin wraps, on the arguments as a resolver gets them. A
  // field that is gone judges no arguments any more.
  plugins: [PrismaPlugin, LIFECYCLE, INPUT_RULES, RESOURCES, PLAIN_FIELDS],
  defaultFieldNullability: false,
  prisma: {
    client: ({ database }) => database,
    dmmf: getDatamodel(),
  },
  lifecycle: {
    now: ({ now }) => now(),
    onDeprecatedCall: ({ caller, deprecatedCalls }, field) => {
      deprecatedCalls.count(caller.keyId, field);
    },
  },
});
