import type { InputFieldMap, InputShapeFromFields, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { withArticle } from '@store-gateway/graphql';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import { changesOf, type NewColumns } from './columns.ts';
import { requestContextOf } from './idempotency.ts';
import { namesIn } from './resource-names.ts';
import { selectionQuery } from './selection-query.ts';

interface CreateOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Fields extends InputFieldMap,
> extends Pick<PothosSchemaTypes.FieldOptions, 'deprecation' | 'scopes' | 'stability' | 'throws'> {
  /** Fields named like columns. */
  readonly input: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => Fields;
  readonly create: (
    query: {
      readonly data: NewColumns<Model, InputShapeFromFields<Fields>>;
      /** What is selected under an idempotency key, to be passed on as it is. */
      readonly include?: Model['Include'];
      readonly select?: Model['Select'];
    },
    context: Types['Context'],
  ) => Promise<Model['Shape']>;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** Adds a mutation that adds one row and returns it, once under an idempotency key: `createItem(input: NewItem!)`. */
      createField: <Model extends PrismaModelTypes, Fields extends InputFieldMap>(
        type: PrismaObjectRef<Types, Model, object>,
        options: CreateOptions<Types, Model, Fields>,
      ) => void;
    }
  }
}

// oxlint-disable-next-line typescript/no-empty-object-type -- the fields are generic
type NoFields = {};

function createField<Model extends PrismaModelTypes, Fields extends InputFieldMap>(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: CreateOptions<AnyTypes, Model, Fields>,
): void;
function createField(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, PrismaModelTypes, object>,
  { input, create, ...options }: CreateOptions<AnyTypes, PrismaModelTypes, NoFields>,
): void {
  const { name, noun } = namesIn(this, type);
  const columnsOf = changesOf(type.modelName, this);
  const inputType = this.inputType(`New${name}`, {
    description: `The fields of ${withArticle(noun)} to add.`,
    extensions: { createdModel: type.modelName },
    fields: input,
  });
  this.mutationField(`create${name}`, (t) =>
    t.field({
      ...options,
      type,
      description: `Adds ${withArticle(noun)}.`,
      idempotency: true,
      createsRow: true,
      args: {
        input: t.arg({ type: inputType, required: true, description: `The ${noun} to add.` }),
      },
      resolve: (_root, args, context, info) =>
        create(
          {
            data: columnsOf(args.input),
            // For replays, which show rows as they were. Without a key, the fields below read them, so that a failed read isn't
            // reported as a failed create.
            ...(requestContextOf(context) !== undefined && selectionQuery({ context, info })),
          },
          context,
        ),
    }),
  );
}

builderPrototype.createField = createField;
