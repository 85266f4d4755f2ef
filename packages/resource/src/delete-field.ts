import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import { changeOf, type ChangeOptions, type RowQuery } from './change-field.ts';
import { namesIn } from './resource-names.ts';
import { selectionQuery } from './selection-query.ts';

interface DeleteOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
> extends ChangeOptions<Types, Model> {
  readonly delete: (query: RowQuery<Model>, context: Types['Context']) => Promise<Model['Shape']>;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * Adds a mutation that removes one row by its id and returns it: `deleteItem(id, expected)`. It throws NOT_FOUND if there is
       * none, PRECONDITION_FAILED as that of `updateField` does, and CONFLICT while others refer to the row.
       */
      deleteField: <Model extends PrismaModelTypes>(
        type: PrismaObjectRef<Types, Model, object>,
        options: DeleteOptions<Types, Model>,
      ) => void;
    }
  }
}

function deleteField<Model extends PrismaModelTypes>(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: DeleteOptions<AnyTypes, Model>,
): void;
function deleteField(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, PrismaModelTypes, object>,
  { delete: remove, ...given }: DeleteOptions<AnyTypes, PrismaModelTypes>,
): void {
  const { name, noun } = namesIn(this, type);
  const change = changeOf(this, type, {
    description: `Removes the ${noun} with this id, and returns it as it was.`,
    ...given,
  });
  this.mutationField(given.name ?? `delete${name}`, (t) =>
    t.field({
      ...change.options,
      args: change.args,
      resolve: (_root, args, context, info) =>
        change.apply(args, context, (where) =>
          remove({ ...selectionQuery({ context, info }), where }, context),
        ),
    }),
  );
}

builderPrototype.deleteField = deleteField;
