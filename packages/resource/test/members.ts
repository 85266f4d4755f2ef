import SchemaBuilder from '@pothos/core';
import PrismaPlugin, { type PothosPrismaDatamodel } from '@pothos/plugin-prisma';
import type { Scopes } from '@store-gateway/ops/errors';
import { RESOURCES } from '../src/resource-plugin.ts';
import { field } from './datamodel-field.ts';

interface Model {
  Select: object;
  OrderBy: object;
  WhereUnique: object;
  Where: object;
  Create: object;
  Update: object;
  ListRelations: never;
  Shape: { readonly id: bigint; readonly email: string };
  Include: { owner?: boolean };
  RelationName: 'owner';
  Relations: { owner: { Shape: Model['Shape']; Name: 'Member'; Nullable: false } };
}

const datamodel: PothosPrismaDatamodel['datamodel'] = {
  models: {
    Member: {
      fields: [
        { ...field, type: 'BigInt', name: 'id', isUnique: true, isId: true },
        { ...field, type: 'String', name: 'email' },
        { ...field, type: 'BigInt', name: 'ownerId' },
        {
          ...field,
          type: 'Member',
          kind: 'object',
          name: 'owner',
          relationName: 'owners',
          relationFromFields: ['ownerId'],
        },
      ],
      primaryKey: null,
      uniqueIndexes: [],
    },
  },
};

/** The builder of a schema of members, each of whom has one who owns it. */
export function membersBuilder(access: { readonly scopesOf: () => Scopes } | undefined) {
  return new SchemaBuilder<{
    PrismaTypes: { Member: Model & { Name: 'Member' } };
    Scalars: { ID: { Input: string; Output: string | bigint } };
    DefaultFieldNullability: false;
  }>({
    plugins: [PrismaPlugin, RESOURCES],
    defaultFieldNullability: false,
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel } },
    ...(access && { access }),
  });
}

export type MembersBuilder = ReturnType<typeof membersBuilder>;

/** A schema with what is declared. */
export function membersSchema(declare: (builder: MembersBuilder) => void) {
  const builder = membersBuilder({ scopesOf: () => 'all' });
  declare(builder);
  builder.queryType({ fields: (t) => ({ here: t.boolean({ resolve: () => true }) }) });
  return builder.toSchema({ sortSchema: false });
}
