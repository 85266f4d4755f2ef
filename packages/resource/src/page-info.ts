import type { AnyTypes } from './builder-prototype.ts';
import type { Page } from './connection-page.ts';

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;

const pageInfos = new WeakMap<Builder, ReturnType<typeof createPageInfo>>();

/** The type PageInfo, which all connections of a schema share. */
export function pageInfoOf(builder: Builder) {
  const pageInfo = pageInfos.get(builder) ?? createPageInfo(builder);
  pageInfos.set(builder, pageInfo);
  return pageInfo;
}

function createPageInfo(builder: Builder) {
  return builder.objectRef<Page>('PageInfo').implement({
    description: 'Where a page of a list begins and ends, and whether there are more pages.',
    fields: (t) => ({
      hasNextPage: t.boolean({
        description: 'Whether there are more pages after this one.',
        resolve: ({ hasNextPage }) => read(hasNextPage),
      }),
      hasPreviousPage: t.boolean({
        description: 'Whether there are more pages before this one.',
        resolve: ({ hasPreviousPage }) => read(hasPreviousPage),
      }),
      startCursor: t.id({
        nullable: true,
        description: 'The `before` of the previous page; null if this page is empty.',
        resolve: (page) => cursorAt(page, 0),
      }),
      endCursor: t.id({
        nullable: true,
        description: 'The `after` of the next page; null if this page is empty.',
        resolve: (page) => cursorAt(page, -1),
      }),
    }),
  });
}

function cursorAt({ rows, order }: Page, index: number) {
  const row = rows.at(index, order.columns);
  return (row && order.cursorOf(row)) ?? null;
}

function read(hasMore: Page['hasNextPage']): boolean | Promise<boolean> {
  return typeof hasMore === 'boolean' ? hasMore : hasMore();
}
