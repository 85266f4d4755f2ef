import type { InputFieldMap, InputShapeFromFields, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import { changeOf, type ChangeOptions, type RowQuery } from './change-field.ts';
import { changesOf, type ColumnChanges } from './column-changes.ts';
import { namesIn } from './resource-names.ts';
import { selectionQuery } from './selection-query.ts';

interface UpdateOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Fields extends InputFieldMap,
> extends ChangeOptions<Types, Model> {
  /** Fields named like columns, none required: a column that isn't given stays as it is. Without it, there is no input. */
  readonly input?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => Fields;
  /**
   * Whether the input is all that the row is to have, as that of a PUT: `replaceItem`. Fields that aren't given are null, so
   * those whose column can't be have to be required, or to have a default.
   */
  readonly replaces?: boolean;
  readonly update: (
    query: RowQuery<Model> & {
      readonly data: ColumnChanges<Model, InputShapeFromFields<Fields>>;
    },
    context: Types['Context'],
  ) => Promise<Model['Shape']>;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * Adds a mutation that changes one row by its id: `updateItem(id, input, expected)`. It throws NOT_FOUND if there is none, and
       * PRECONDITION_FAILED if its `version`, a field that is added to the type, is none of those expected.
       */
      updateField: <Model extends PrismaModelTypes, Fields extends InputFieldMap = NoFields>(
        type: PrismaObjectRef<Types, Model, object>,
        options: UpdateOptions<Types, Model, Fields>,
      ) => void;
    }
  }
}

// oxlint-disable-next-line typescript/no-empty-object-type -- the fields are generic
type NoFields = {};

const CHANGE = {
  verb: 'update',
  describe: (noun: string) =>
    `Changes the ${noun} with this id. Fields that aren't given stay as they are.`,
  inputOf: (noun: string) => `What to change of the ${noun}.`,
};

const REPLACEMENT = {
  verb: 'replace',
  describe: (noun: string) =>
    `Replaces all of the ${noun} with this id. Fields that aren't given are null, or have their default.`,
  inputOf: (noun: string) => `All that the ${noun} is to have.`,
};

function updateField<Model extends PrismaModelTypes, Fields extends InputFieldMap>(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: UpdateOptions<AnyTypes, Model, Fields>,
): void;
function updateField(
  this: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  type: PrismaObjectRef<AnyTypes, PrismaModelTypes, object>,
  {
    input,
    update,
    replaces = false,
    ...given
  }: UpdateOptions<AnyTypes, PrismaModelTypes, NoFields>,
): void {
  const { name, noun } = namesIn(this, type);
  const { modelName } = type;
  const words = replaces ? REPLACEMENT : CHANGE;
  const field = given.name ?? `${words.verb}${name}`;
  const description = words.describe(noun);
  const change = changeOf(this, type, { description, ...given });
  const changes = changesOf(modelName, this);
  const inputType =
    input &&
    this.inputType(`${field.charAt(0).toUpperCase()}${field.slice(1)}Input`, {
      description: words.inputOf(noun),
      extensions: { changedModel: modelName, isWhole: replaces },
      fields: input,
    });
  this.mutationField(field, (t) =>
    t.field({
      ...change.options,
      args: {
        id: change.args.id,
        ...(inputType && {
          input: t.arg({
            type: inputType,
            required: true,
            description: words.inputOf(noun),
          }),
        }),
        expected: change.args.expected,
      },
      resolve: (_root, args, context, info) =>
        change.apply(args, context, (where) =>
          update(
            {
              ...selectionQuery({ context, info }),
              where,
              data: changes(inputIn(args)),
            },
            context,
          ),
        ),
    }),
  );
}

/** An object without a prototype, if it is a literal of a document. */
function inputIn(args: { readonly input?: object }): object {
  return args.input ?? {};
}

builderPrototype.updateField = updateField;
