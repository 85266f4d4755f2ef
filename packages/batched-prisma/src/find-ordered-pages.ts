import { batchLists, runBatch } from './batch.ts';
import type { DatabaseOrder } from './database-order.ts';
import { LeftToEngine } from './left-to-engine.ts';
import type { Model } from './model.ts';
import { findOrderedPages } from './ordered-statements.ts';
import type { OrderedPage, PageShape } from './page-shape.ts';
import { rowReader, type RowTexts } from './row-texts.ts';
import { statementsByShape } from './shape-statements.ts';
import type { TableOptions } from './statement.ts';

/**
 * Pages in any order that an index has; the requests of a batch in one statement for each of their shapes.
 *
 * @returns what throws LeftToEngine for a prefix of texts that aren't ordered by their bytes
 */
export function createFindOrderedPages(
  model: Model,
  databaseOrder: () => Promise<DatabaseOrder>,
  { read, createBatcher }: TableOptions,
): (pages: readonly OrderedPage[]) => Promise<readonly RowTexts[]> {
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
  return async (pages) => {
    const { bytewise } = await databaseOrder();
    if (pages.some(({ prefixed }) => prefixed !== undefined && !bytewise.has(prefixed))) {
      throw new LeftToEngine();
    }
    return find(pages);
  };
}
