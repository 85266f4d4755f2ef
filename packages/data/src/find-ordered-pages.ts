import { batchLists, runBatch } from './batch.ts';
import type { DatabaseOrder } from './database-order.ts';
import { LeftToEngine } from './left-to-engine.ts';
import type { Model } from './model.ts';
import { findOrderedPages } from './ordered-statements.ts';
import type { OrderedPage, PageShape } from './page-shape.ts';
import { rowReader, type ListedRows } from './listed-rows.ts';
import { statementsByShape } from './shape-statements.ts';
import type { TableOptions } from './statement.ts';

/** Throws LeftToEngine for a prefix of texts that aren't ordered by their bytes. */
export type FindOrderedPages = (pages: readonly OrderedPage[]) => Promise<readonly ListedRows[]>;

/** Pages in any order that an index has; the requests of a batch in one statement for each of their shapes. */
export function createFindOrderedPages(
  model: Model,
  databaseOrder: () => Promise<DatabaseOrder>,
  { read, createBatcher }: TableOptions,
): FindOrderedPages {
  const statements = (keepsOrder: boolean) =>
    statementsByShape(
      ({ name }: PageShape) => name,
      (shape) => findOrderedPages(model, shape, keepsOrder),
    );
  const keptInOrder = statements(true);
  const others = statements(false);
  const rowsIn = rowReader(model);

  const find = batchLists(createBatcher, async (pages: readonly OrderedPage[]) => {
    const { keepsOrder } = await databaseOrder();
    const statementsOf = keepsOrder ? keptInOrder : others;
    const found = pages.map(() => rowsIn([]));
    const byShape = Map.groupBy(pages.entries(), ([, { shape }]) => shape.name);
    await Promise.all(
      Array.from(byShape.values(), async (alike) => {
        const [[, first] = []] = alike;
        if (first === undefined) {
          return;
        }
        const lists = [
          ...first.values.map((_value, place) =>
            alike.map(([, { values }]) => values[place] ?? null),
          ),
          alike.map(([, { limit }]) => String(limit)),
        ];
        for (const [number, ...texts] of await runBatch(read, statementsOf(first.shape), lists)) {
          const [index = -1] = alike[Number(number) - 1] ?? [];
          found[index] = rowsIn(texts);
        }
      }),
    );
    return found;
  });
  return leavingPrefixes(databaseOrder, find);
}

/** Leaves prefixes of texts to Prisma's engine where the database doesn't order them by their bytes. */
export function leavingPrefixes(
  databaseOrder: () => Promise<DatabaseOrder>,
  find: FindOrderedPages,
): FindOrderedPages {
  return async (pages) => {
    const { bytewise } = await databaseOrder();
    if (pages.some(({ prefixed }) => prefixed !== undefined && !bytewise.has(prefixed))) {
      throw new LeftToEngine();
    }
    return find(pages);
  };
}
