import type { Pet as PetRow } from '../database/generated/client.ts';
import { builder } from './builder.ts';
import { listArguments, listQuery, Pet } from './pet.ts';

/** A page of the list, and one animal more if there is one. */
interface Page {
  readonly rows: readonly PetRow[];
  readonly limit: number;
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
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

const PetEdge = builder.objectRef<PetRow>('PetEdge').implement({
  description: 'An animal at its place in the list.',
  fields: (t) => ({
    cursor: t.exposeID('id', { description: 'What to give as `after` to go on behind it.' }),
    node: t.field({ type: Pet, description: 'The animal.', resolve: (row) => row }),
  }),
});

const PetConnection = builder.objectRef<Page>('PetConnection').implement({
  description: 'A page of the list of animals, as the caches of GraphQL clients know it.',
  fields: (t) => ({
    nodes: t.field({ type: [Pet], description: 'The animals.', resolve: pageOf }),
    edges: t.field({
      type: [PetEdge],
      description: 'The animals, each with its cursor.',
      resolve: pageOf,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'Whether there is more, and where it begins.',
      resolve: (page) => page,
    }),
  }),
});

builder.queryField('petsConnection', (t) =>
  t.field({
    type: PetConnection,
    description: 'Lists animals page by page: the same list as `pets`, and whether there is more.',
    extensions: { sameForEveryone: true },
    args: listArguments,
    resolve: async (_root, args, { database }) => ({
      rows: await database.pet.findMany({ ...listQuery(args), take: args.limit + 1 }),
      limit: args.limit,
    }),
  }),
);

function pageOf({ rows, limit }: Page): PetRow[] {
  return rows.slice(0, limit);
}
