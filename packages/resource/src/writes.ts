import type { InputFieldMap, InputShapeFromFields, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { ATTEMPT_AT } from '@store-gateway/data';
import { isExpected, text, unexpectedVersion, withArticle } from '@store-gateway/graphql';
import { codedError, tooSlow } from '@store-gateway/ops/errors';
import { type AnyTypes, type Builder, builderPrototype, namesIn } from './builder.ts';
import { changesOf, type ColumnChanges, idOf, type NewColumns } from './columns.ts';
import { requestContextOf } from './idempotency.ts';
import type { IdOf } from './page.ts';
import { addVersion, versionsOf } from './row-version.ts';
import { selectionQuery } from './selection-query.ts';

interface CreateOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Fields extends InputFieldMap,
> extends Pick<PothosSchemaTypes.FieldOptions, 'deprecation' | 'scopes' | 'stability' | 'throws'> {
  /** The input fields, named like columns. */
  readonly input: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => Fields;
  readonly create: (
    query: {
      readonly data: NewColumns<Model, InputShapeFromFields<Fields>>;
      /** The selection, which is set only if the mutation has an idempotency key. Pass it to Prisma unchanged. */
      readonly include?: Model['Include'];
      readonly select?: Model['Select'];
    },
    context: Types['Context'],
  ) => Promise<Model['Shape']>;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** Adds a mutation that creates one row and returns it, once per idempotency key: `createItem(input: NewItem!)`. */
      createField: <Model extends PrismaModelTypes, Fields extends InputFieldMap>(
        type: PrismaObjectRef<Types, Model, object>,
        options: CreateOptions<Types, Model, Fields>,
      ) => void;
      /**
       * Adds a mutation that changes one row by its id: `updateItem(id, input, expected)`. It throws NOT_FOUND if there is no
       * such row, and PRECONDITION_FAILED if the row's `version` isn't an expected one. Also adds the field `version` to the
       * type.
       */
      updateField: <Model extends PrismaModelTypes, Fields extends InputFieldMap = NoFields>(
        type: PrismaObjectRef<Types, Model, object>,
        options: UpdateOptions<Types, Model, Fields>,
      ) => void;
      /**
       * Adds a mutation that removes one row by its id and returns it: `deleteItem(id, expected)`. It throws NOT_FOUND if there
       * is no such row, PRECONDITION_FAILED like `updateField`, and CONFLICT while other rows refer to it.
       */
      deleteField: <Model extends PrismaModelTypes>(
        type: PrismaObjectRef<Types, Model, object>,
        options: DeleteOptions<Types, Model>,
      ) => void;
    }
  }
}

// oxlint-disable-next-line typescript/no-empty-object-type -- the fields are generic
type NoFields = {};

function createField<Model extends PrismaModelTypes, Fields extends InputFieldMap>(
  this: Builder,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: CreateOptions<AnyTypes, Model, Fields>,
): void;
function createField(
  this: Builder,
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
            // Selects related rows for replays, which return rows as they were. Without a key, the selected fields read related
            // rows themselves, so that a failed read isn't reported as a failed create.
            ...(requestContextOf(context) !== undefined && selectionQuery({ context, info })),
          },
          context,
        ),
    }),
  );
}

builderPrototype.createField = createField;

/** Maximum number of attempts if other requests change the row between its read and its change. */
const MAX_ATTEMPTS = 20;

/** A change to one row that is made only if the row's version is an expected one. */
interface ConditionalChange<Id, Row extends object> {
  readonly id: Id;
  readonly expected: readonly string[];
  readonly versionOf: (row: Row) => string;
  /** Returns the condition that a row hasn't changed since it was read. */
  readonly asRead: (row: Row) => object;
  readonly find: () => Promise<Row | null>;
  readonly change: (where: { readonly id: Id }) => Promise<Row>;
  /** Whether an error from `change` means that no row matched. */
  readonly isMissing: (error: unknown) => Promise<boolean>;
}

/**
 * Makes the change in one statement, on the condition that the row hasn't changed since it was read. If it has, the row is read
 * again, and the change is retried. If there is no row, or its version isn't expected, `change` gets a condition that matches no
 * row, so that it only replays an earlier change with the same idempotency key.
 *
 * @throws PRECONDITION_FAILED if the row has a version that isn't expected, SERVICE_UNAVAILABLE if other requests keep changing
 *   it, and the error from `change` if there is no row
 */
export async function changeIfExpected<Id, Row extends object>({
  id,
  expected,
  versionOf,
  asRead,
  find,
  change,
  isMissing,
}: ConditionalChange<Id, Row>): Promise<Row> {
  const look = async () => {
    const row = await find();
    return row && { row, version: versionOf(row) };
  };
  const attempt = { [ATTEMPT_AT]: {} };
  let seen = await look();
  for (let attempts = 1; ; attempts += 1) {
    const asExpected =
      seen !== null && isExpected(expected, seen.version) ? asRead(seen.row) : undefined;
    try {
      return await change({ id, ...(asExpected ?? { NOT: { id } }), ...attempt });
    } catch (error) {
      if (seen === null || !(await isMissing(error))) {
        throw error;
      }
      if (asExpected === undefined) {
        throw unexpectedVersion(expected, seen.version);
      }
      const now = await look();
      if (now === null) {
        throw error;
      }
      // If the row hasn't changed, something other than its version prevents the change.
      if (now.version === seen.version || !isExpected(expected, now.version)) {
        throw unexpectedVersion(expected, now.version);
      }
      if (attempts === MAX_ATTEMPTS) {
        throw tooSlow(`other requests changed the row ${MAX_ATTEMPTS} times in the meantime`);
      }
      seen = now;
    }
  }
}

/** The query for a row by its id, with the selection. */
interface RowQuery<Model extends PrismaModelTypes> {
  readonly where: { readonly id: IdOf<Model> };
  readonly include?: Model['Include'];
  readonly select?: Model['Select'];
}

/** The options that `updateField` and `deleteField` have in common. */
interface ChangeOptions<Types extends SchemaTypes, Model extends PrismaModelTypes> extends Pick<
  PothosSchemaTypes.FieldOptions,
  'deprecation' | 'idempotency' | 'scopes' | 'stability' | 'throws'
> {
  /** Defaults to "update" or "delete", followed by the type's name. */
  readonly name?: string;
  readonly description?: string;
  /** Whether callers must pass the expected versions of the row. Defaults to `optional`. */
  readonly expected?: 'optional' | 'required';
  /** Reads the row whose version is compared with the expected ones. */
  readonly find: (
    query: { readonly where: { readonly id: IdOf<Model> } },
    context: Types['Context'],
  ) => Promise<Model['Shape'] | null>;
}

/** Maximum length of an expected version. */
const MAX_LENGTH = 255;

interface ChangeArguments {
  readonly id: string;
  readonly expected?: readonly string[] | null | undefined;
}

/** Returns the common parts of fields that change one row by its id: options, arguments, and how the change is applied. */
function changeOf(
  builder: Builder,
  type: PrismaObjectRef<AnyTypes, PrismaModelTypes, object>,
  {
    find,
    expected = 'optional',
    idempotency = true,
    description,
    stability,
    throws,
    deprecation,
    scopes = [],
  }: ChangeOptions<AnyTypes, PrismaModelTypes> & { readonly description: string },
) {
  const { modelName } = type;
  const { noun } = namesIn(builder, type);
  const column = idOf(modelName, builder);
  const notFound = `There is no ${noun} with this id`;
  const { violations, resources } = builder.options;
  const asRead = resources?.asRead;
  if (
    asRead === undefined ||
    violations === undefined ||
    !Object.hasOwn(resources?.models ?? {}, modelName)
  ) {
    throw new Error(
      `${modelName} can't be changed: the builder needs the options violations and resources.asRead, and resources.models must include ${modelName}`,
    );
  }
  addVersion(builder, type, stability);
  const versionOf = versionsOf(modelName, builder);
  return {
    options: {
      type,
      description,
      idempotency,
      extensions: { notFound },
      scopes,
      ...(stability && { stability }),
      ...(throws && { throws }),
      ...(deprecation && { deprecation }),
    },
    args: builder.args((t) => ({
      id: t.id({
        required: true,
        // No input rule, so that a malformed id gets NOT_FOUND rather than BAD_USER_INPUT.
        jsonSchema: column.rule.jsonSchema,
        example: column.example,
        description: `Identifier of the ${noun}.`,
      }),
      expected: t.stringList({
        required: expected === 'required',
        rule: text(1, MAX_LENGTH),
        extensions: { isPrecondition: true, takesExclusions: true },
        description: `Expected versions of the ${noun}. If its current version is none of these, nothing is changed, and the error is PRECONDITION_FAILED. A "!" before a version excludes that version.`,
      }),
    })),
    /** Changes the row with this id, if its version is an expected one. */
    async apply(
      { id: given, expected: versions }: ChangeArguments,
      context: AnyTypes['Context'],
      change: (where: { readonly id: unknown }) => Promise<object>,
    ): Promise<object> {
      const id = column.valueOf(given);
      if (id === undefined) {
        throw codedError('NOT_FOUND', notFound);
      }
      if (versions == null) {
        return await change({ id });
      }
      return await changeIfExpected({
        id,
        expected: versions,
        versionOf: (row) => versionOf(row, context),
        asRead: (row) => asRead(modelName, row),
        find: () => find({ where: { id } }, context),
        change,
        isMissing: async (error) =>
          (await violations.violationOf(error, context))?.kind === 'missingRow',
      });
    },
  };
}

interface UpdateOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
  Fields extends InputFieldMap,
> extends ChangeOptions<Types, Model> {
  /**
   * The input fields, named like columns. Unless `replaces` is set, they must be optional, and omitted columns keep their values.
   * Without this option, the mutation has no input.
   */
  readonly input?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => Fields;
  /**
   * Whether the input replaces the whole row, as in a PUT: `replaceItem`. Omitted fields become null, so fields whose column
   * can't be null must be required or have a default.
   */
  readonly replaces?: boolean;
  readonly update: (
    query: RowQuery<Model> & {
      readonly data: ColumnChanges<Model, InputShapeFromFields<Fields>>;
    },
    context: Types['Context'],
  ) => Promise<Model['Shape']>;
}

const CHANGE = {
  verb: 'update',
  describe: (noun: string) => `Changes the ${noun} with this id. Omitted fields keep their values.`,
  inputOf: (noun: string) => `Changes to the ${noun}.`,
};

const REPLACEMENT = {
  verb: 'replace',
  describe: (noun: string) =>
    `Replaces the ${noun} with this id. Omitted fields become null, or get their default.`,
  inputOf: (noun: string) => `The new values of the ${noun}.`,
};

function updateField<Model extends PrismaModelTypes, Fields extends InputFieldMap>(
  this: Builder,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: UpdateOptions<AnyTypes, Model, Fields>,
): void;
function updateField(
  this: Builder,
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

/** Returns the input, or an empty object if the mutation has no input. */
function inputIn(args: { readonly input?: object }): object {
  return args.input ?? {};
}

builderPrototype.updateField = updateField;

interface DeleteOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
> extends ChangeOptions<Types, Model> {
  readonly delete: (query: RowQuery<Model>, context: Types['Context']) => Promise<Model['Shape']>;
}

function deleteField<Model extends PrismaModelTypes>(
  this: Builder,
  type: PrismaObjectRef<AnyTypes, Model, object>,
  options: DeleteOptions<AnyTypes, Model>,
): void;
function deleteField(
  this: Builder,
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
