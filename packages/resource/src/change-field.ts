import type { SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma';
import { codedError } from '@store-gateway/ops/errors';
import { text } from '@store-gateway/graphql';
import type { AnyTypes } from './builder-prototype.ts';
import { changeIfExpected } from './conditional-change.ts';
import { idOf } from './id-columns.ts';
import type { IdOf } from './keyset-query.ts';
import { namesIn } from './resource-names.ts';
import { addVersion, versionsOf } from './row-version.ts';

/** The query of a row by its id, and of what is selected of it. */
export interface RowQuery<Model extends PrismaModelTypes> {
  readonly where: { readonly id: IdOf<Model> };
  readonly include?: Model['Include'];
  readonly select?: Model['Select'];
}

/** The options that `updateField` and `deleteField` have in common. */
export interface ChangeOptions<
  Types extends SchemaTypes,
  Model extends PrismaModelTypes,
> extends Pick<
  PothosSchemaTypes.FieldOptions,
  'deprecation' | 'idempotency' | 'scopes' | 'stability' | 'throws'
> {
  /** By default, "update" or "delete" and the type. */
  readonly name?: string;
  readonly description?: string;
  /** Whether callers have to say which version of the row they expect. By default, they may. */
  readonly expected?: 'optional' | 'required';
  /** Reads the row whose version is expected. */
  readonly find: (
    query: { readonly where: { readonly id: IdOf<Model> } },
    context: Types['Context'],
  ) => Promise<Model['Shape'] | null>;
}

/** Characters of what may be a version. */
const MAX_LENGTH = 255;

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;

interface ChangeArguments {
  readonly id: string;
  readonly expected?: readonly string[] | null | undefined;
}

/** What the fields that change one row by its id share: their arguments, and which row they change. */
export function changeOf(
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
      `${modelName} can't be changed: the builder needs violations and resources.asRead, and resources.models has to have the model`,
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
        // No rule: what can't be an id is no row's, and not found.
        jsonSchema: column.rule.jsonSchema,
        example: column.example,
        description: `Identifier of the ${noun}.`,
      }),
      expected: t.stringList({
        required: expected === 'required',
        rule: text(1, MAX_LENGTH),
        extensions: { isPrecondition: true, takesExclusions: true },
        description: `Versions of the ${noun}: if it has none of them, because it has changed since it was read, the response is PRECONDITION_FAILED, and nothing is changed. A "!" before a version excludes it.`,
      }),
    })),
    /** Makes a change where the arguments say: of the row, if it is as expected. */
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
