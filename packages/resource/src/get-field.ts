import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { codedError } from '@store-gateway/ops/errors';
import type { Deprecation } from '@store-gateway/graphql';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import { idOf } from './columns.ts';
import type { IdOf } from './page.ts';
import { namesIn } from './resource-names.ts';
import { selectionQuery } from './selection-query.ts';

interface GetOptions<Types extends SchemaTypes, Model extends PrismaModelTypes> {
  readonly find: (
    query: {
      readonly where: { readonly id: IdOf<Model> };
      readonly include?: Model['Include'];
      readonly select?: Model['Select'];
    },
    context: Types['Context'],
  ) => Promise<Model['Shape'] | null>;
  readonly deprecation?: Deprecation;
  /** By default false: few ask for the same row at once, and to coalesce costs more than to read it in their batch. */
  readonly shared?: boolean;
  readonly scopes?: readonly string[];
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** Adds a field of Query that fetches one row by its id, or throws NOT_FOUND. */
      getField: <Model extends PrismaModelTypes>(
        type: PrismaObjectRef<Types, Model, object>,
        options: GetOptions<Types, Model>,
      ) => void;
    }
  }
}

function getField<Model extends PrismaModelTypes>(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: GetOptions<AnyTypes, Model>,
): void;
function getField(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, PrismaModelTypes, object>,
  { find, deprecation, shared = false, scopes = [] }: GetOptions<AnyTypes, PrismaModelTypes>,
): void {
  const { name, noun } = namesIn(this, type);
  const column = idOf(type.modelName, this);
  const notFound = `There is no ${noun} with this id`;
  this.queryField(name.charAt(0).toLowerCase() + name.slice(1), (t) =>
    t.field({
      type,
      nullable: true,
      description: `Fetches one ${noun} by its identifier. If there is none, the field is null and the response has an error. By default, many clients then throw, or discard the data of the other fields.`,
      ...(deprecation && { deprecation }),
      extensions: { notFound },
      shared,
      scopes,
      args: {
        id: t.arg.id({
          required: true,
          // No rule: what can't be an id is no row's, and not found.
          jsonSchema: column.rule.jsonSchema,
          example: column.example,
          description: `Identifier of the ${noun} to retrieve.`,
        }),
      },
      resolve: async (_root, args, context, info) => {
        const id = column.valueOf(args.id);
        const row =
          id === undefined
            ? null
            : await find({ ...selectionQuery({ context, info }), where: { id } }, context);
        if (row === null) {
          throw codedError('NOT_FOUND', notFound);
        }
        return row;
      },
    }),
  );
}

builderPrototype.getField = getField;
