import type { InputFieldMap, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import type { AnyList, List } from './list-field.ts';
import { namesIn, withArticle } from './resource.ts';
import { selectionQuery } from './selection-query.ts';

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;

/** The rows of a page, and the next one if there is one. */
interface Page {
  readonly rows: readonly { readonly id?: string | bigint }[];
  readonly limit: number;
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** Adds a field of Query that returns a list page by page, and whether there is a next page. */
      connectionField: <Model extends PrismaModelTypes, Filters extends InputFieldMap>(
        list: List<Types, Model, Filters>,
      ) => void;
    }
  }
}

function connectionField<Model extends PrismaModelTypes, Filters extends InputFieldMap>(
  this: Builder,
  list: List<AnyTypes, Model, Filters>,
): void;
function connectionField(this: Builder, { type, args, query, find }: AnyList): void {
  const { name, plural, noun, nouns } = namesIn(this, type);
  const pageInfo = pageInfoOf(this);
  const edge = this.objectRef<Page['rows'][number]>(`${name}Edge`).implement({
    description: `${capitalized(withArticle(noun))} at its place in the list.`,
    fields: (t) => ({
      cursor: t.id({
        description: 'What to give as `after` to go on behind it.',
        resolve: ({ id = '' }) => id,
      }),
      node: t.field({ type, description: `The ${noun}.`, resolve: (row) => row }),
    }),
  });
  const connection = this.objectRef<Page>(`${name}Connection`).implement({
    description: `A page of the list of ${nouns}, as the caches of GraphQL clients know it.`,
    fields: (t) => ({
      nodes: t.field({ type: [type], description: `The ${nouns}.`, resolve: pageOf }),
      edges: t.field({
        type: [edge],
        description: `The ${nouns}, each with its cursor.`,
        resolve: pageOf,
      }),
      pageInfo: t.field({
        type: pageInfo,
        description: 'Whether there is more, and where it begins.',
        resolve: (page) => page,
      }),
    }),
  });
  const paths = [['nodes'], ['edges', 'node']];
  this.queryField(`${plural}Connection`, (t) =>
    t.field({
      type: connection,
      description: `Lists ${nouns} page by page: the same list as \`${plural}\`, and whether there is more.`,
      extensions: { sameForEveryone: true },
      args,
      resolve: async (_root, given, context, info) => {
        const selection = selectionQuery({ context, info, typeName: name, paths });
        const page = query({ ...given, limit: given.limit + 1 });
        return { rows: await find({ ...selection, ...page }, context), limit: given.limit };
      },
    }),
  );
}

const pageInfos = new WeakMap<Builder, ReturnType<typeof createPageInfo>>();

/** All connections of a schema share the type. */
function pageInfoOf(builder: Builder) {
  const pageInfo = pageInfos.get(builder) ?? createPageInfo(builder);
  pageInfos.set(builder, pageInfo);
  return pageInfo;
}

function createPageInfo(builder: Builder) {
  return builder.objectRef<Page>('PageInfo').implement({
    description: 'Where a page of a list ends.',
    fields: (t) => ({
      hasNextPage: t.boolean({
        description: 'Whether there is more behind this page.',
        resolve: ({ rows, limit }) => rows.length > limit,
      }),
      endCursor: t.id({
        nullable: true,
        description: 'What to give as `after` for the next page; null if this one is empty.',
        resolve: (page) => pageOf(page).at(-1)?.id ?? null,
      }),
    }),
  });
}

function pageOf({ rows, limit }: Page): Page['rows'][number][] {
  return rows.slice(0, limit);
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

builderPrototype.connectionField = connectionField;
