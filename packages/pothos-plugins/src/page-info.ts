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
    description: 'Where a page of a list begins and ends.',
    fields: (t) => ({
      hasNextPage: t.boolean({
        description: 'Whether there is more behind this page.',
        resolve: ({ hasNextPage }) => read(hasNextPage),
      }),
      hasPreviousPage: t.boolean({
        description: 'Whether there is more before this page.',
        resolve: ({ hasPreviousPage }) => read(hasPreviousPage),
      }),
      startCursor: t.id({
        nullable: true,
        description: 'What to give as `before` for the previous page; null if this one is empty.',
        resolve: ({ rows }) => rows[0]?.id ?? null,
      }),
      endCursor: t.id({
        nullable: true,
        description: 'What to give as `after` for the next page; null if this one is empty.',
        resolve: ({ rows }) => rows.at(-1)?.id ?? null,
      }),
    }),
  });
}

function read(hasMore: Page['hasNextPage']): boolean | Promise<boolean> {
  return typeof hasMore === 'boolean' ? hasMore : hasMore();
}
