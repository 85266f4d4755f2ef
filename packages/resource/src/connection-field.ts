import type { InputFieldMap, SchemaTypes } from '@pothos/core';
import type { PrismaModelTypes } from '@pothos/plugin-prisma';
import { decodedRows, foundRows, takenBy } from '@store-gateway/ops';
import { type Deprecation, withArticle } from '@store-gateway/graphql';
import { builderPrototype, type AnyTypes } from './builder-prototype.ts';
import {
  readPage,
  type Page,
  keysetQuery,
  DEFAULT_SIZE,
  MAX_SIZE,
  sizeFrom,
  pageInfoOf,
} from './page.ts';
import type { AnyList, List } from './list-field.ts';
import type { Row } from './list-order.ts';
import { namesIn } from './resource-names.ts';
import { selectionQuery } from './selection-query.ts';

interface ConnectionOptions {
  readonly deprecation?: Deprecation;
  /** Beside those of the list. */
  readonly scopes?: readonly string[];
}

/** What a count adds to the complexity: it may read all rows of a table, where a page reads its own. */
const COUNT_COST = 1000;

/** A row and its position in an order. */
interface Edge extends Pick<Page, 'order'> {
  readonly row: Row;
}

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * Adds a field of Query that returns a list page by page, as https://relay.dev/graphql/connections.htm has it: `first` and
       * `after`, `last` and `before`, and `limit` as on the list.
       */
      connectionField: <Model extends PrismaModelTypes, Filters extends InputFieldMap>(
        list: List<Types, Model, Filters>,
        options?: ConnectionOptions,
      ) => void;
    }
  }
}

function connectionField<Model extends PrismaModelTypes, Filters extends InputFieldMap>(
  this: Builder,
  list: List<AnyTypes, Model, Filters>,
  options?: ConnectionOptions,
): void;
function connectionField(
  this: Builder,
  list: AnyList,
  { deprecation, scopes = [] }: ConnectionOptions = {},
): void {
  const { type, filters, ownArgs, orderArgs, args, cursor, listFilters, shared } = list;
  const { read, find, count } = list;
  const { name, plural, noun, nouns, scopes: ofType } = namesIn(this, type);
  const pageInfo = pageInfoOf(this);
  const edge = this.objectRef<Edge>(`${name}Edge`).implement({
    description: `${capitalized(withArticle(noun))} and its position in the list.`,
    scopes: ofType,
    fields: (t) => ({
      cursor: t.id({
        description:
          'Pass it as `after` to get the page after this position, or as `before` to get the page before it.',
        resolve: ({ row, order }) => order.cursorOf(row) ?? '',
      }),
      node: t.field({ type, description: `The ${noun}.`, resolve: ({ row }) => row }),
    }),
  });
  const connection = this.objectRef<Page>(`${name}Connection`).implement({
    description: `A page of ${nouns}, in the form that the caches of GraphQL clients expect.`,
    scopes: ofType,
    fields: (t) => ({
      nodes: t.field({
        type: [type],
        description: `The ${nouns}.`,
        extensions: { takesRows: true },
        resolve: rowsIn,
      }),
      edges: t.field({
        type: [edge],
        description: `The ${nouns}, each with its cursor.`,
        resolve: edgesOf,
      }),
      pageInfo: t.field({
        type: pageInfo,
        description:
          'Where the page begins and ends, and whether there are pages before and after it.',
        resolve: (page) => page,
      }),
      ...(count && {
        totalCount: t.int({
          description: `Total number of ${nouns} in the list, including those outside \`after\` and \`before\`. Counting takes longer than reading a page.`,
          extensions: { cost: COUNT_COST },
          resolve: (page) => page.count(),
        }),
      }),
    }),
  });
  const paths = [['nodes'], ['edges', 'node']];
  this.queryField(`${plural}Connection`, (t) =>
    t.field({
      type: connection,
      description: `Lists ${nouns} page by page: the same list as \`${plural}\`, with information about further pages. At most one of \`first\`, \`last\` and \`limit\` may be given; without them, a page has up to ${DEFAULT_SIZE} ${nouns}.`,
      shared,
      scopes: [...list.scopes, ...scopes],
      ...(deprecation && { deprecation }),
      extensions: {
        listFilters: { ...listFilters, filters: Object.keys(filters) },
        takesRows: true,
      },
      args: {
        ...ownArgs,
        ...filters,
        ...orderArgs,
        first: t.arg.int({
          ...sizeFrom(0),
          description: `Maximum number of ${nouns} to return from the start of the list, or after \`after\`: 0 to ${MAX_SIZE}.`,
        }),
        after: args.after,
        last: t.arg.int({
          ...sizeFrom(0),
          description: `Maximum number of ${nouns} to return from the end of the list, or before \`before\`, in the same order: 0 to ${MAX_SIZE}.`,
        }),
        before: t.arg.id({ ...cursor.options, description: cursor.before }),
        limit: t.arg.int({
          ...sizeFrom(1),
          // For REST's parameter.
          jsonSchema: { ...sizeFrom(1).rule.jsonSchema, default: DEFAULT_SIZE },
          example: DEFAULT_SIZE,
          description: `Maximum number of ${nouns} to return, 1 to ${MAX_SIZE}.`,
        }),
      },
      resolve: (root, { first, after, last, before, limit, ...given }, context, info) => {
        const { order, where } = read(given);
        const { columns } = order;
        const selection = selectionQuery({ context, info, typeName: name, paths, columns });
        const cursors = {
          after: after ? order.placeAt(after, 'after') : undefined,
          before: before ? order.placeAt(before, 'before') : undefined,
        };
        return readPage({ first, last, limit, ...cursors }, order, {
          read: (keyset) =>
            foundRows(find({ ...selection, ...keysetQuery(where, order, keyset) }, context), root),
          count: () => count?.({ where }, context) ?? Promise.resolve(0),
          root,
        });
      },
    }),
  );
}

function rowsIn({ rows, root }: Page): Row[] {
  return takenBy(root, rows);
}

function edgesOf({ rows, order }: Page): Edge[] {
  return decodedRows(rows).map((row) => ({ row, order }));
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

builderPrototype.connectionField = connectionField;
