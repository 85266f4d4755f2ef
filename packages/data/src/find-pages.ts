import { batchLists } from './batch.ts';
import type { DatabaseOrder } from './database-order.ts';
import type { Model } from './model.ts';
import { dependsOnOrder, isPlain, type Page, type PageShape } from './page-shape.ts';
import { pageStatements } from './page-statements.ts';
import { rowReader, type ListedRows } from './rows.ts';
import { keptByShape, statementsByShape } from './shape-statements.ts';
import type { TableOptions } from './statement.ts';

/** Maximum of shapes that share a statement. */
const MAX_TOGETHER = 8;

/** What the statements of a batch depend on. */
interface Combination {
  readonly shapes: readonly PageShape[];
  readonly keepsOrder: boolean;
}

/** What a read throws for what only Prisma's engine can answer, as turns out once the database is asked. */
export class LeftToEngine extends Error {}

/** Throws LeftToEngine for a prefix of texts that aren't ordered by their bytes. */
export type FindPages = (pages: readonly Page[]) => Promise<readonly ListedRows[]>;

/**
 * Reads pages in any order that an index has. The requests of a batch share a statement if they have at most eight shapes, whose
 * combination is one of the first 128; otherwise each shape has its own.
 */
export function createFindPages(
  model: Model,
  databaseOrder: () => Promise<DatabaseOrder>,
  { read, createBatcher, isFault }: TableOptions,
): FindPages {
  const make = ({ shapes, keepsOrder }: Combination) => pageStatements(model, shapes, keepsOrder);
  // Clients that vary filters and orders can't use up the statements of the most frequent pages.
  const ofIds = statementsByShape(nameOf, make);
  const ofOne = statementsByShape(nameOf, make);
  const ofSeveral = keptByShape(nameOf, make);
  const rowsIn = rowReader(model);
  const none = rowsIn([]);

  /** Each group has pages of one shape. */
  async function findGroups(groups: readonly (readonly Page[])[]): Promise<ListedRows[][]> {
    const shapes = groups.flatMap(([first]) => first?.shape ?? []);
    const keepsOrder = shapes.some(dependsOnOrder) && (await databaseOrder()).keepsOrder;
    const combination = { shapes, keepsOrder };
    const found =
      shapes.length === 1
        ? (shapes.every(isPlain) ? ofIds : ofOne)(combination)
        : shapes.length <= MAX_TOGETHER
          ? ofSeveral(combination)
          : undefined;
    if (found === undefined) {
      return (await Promise.all(groups.map((group) => findGroups([group])))).flat();
    }
    const lists = groups.flatMap((pages) => [
      ...(pages[0]?.values ?? []).map((_value, place) =>
        pages.map(({ values }) => values[place] ?? null),
      ),
      pages.map(({ limit }) => String(limit)),
    ]);
    const rows = groups.every(({ length }) => length === 1)
      ? await read(
          found.single,
          lists.map(([value = null]) => value),
        )
      : await read(found.several, lists);
    const listed = groups.map((pages) => pages.map(() => none));
    for (const [number, ...texts] of rows) {
      const group = listed[groups.length === 1 ? 0 : Number(texts.at(-1))];
      if (group !== undefined) {
        group[Number(number) - 1] = rowsIn(texts);
      }
    }
    return listed;
  }

  const find = batchLists(
    createBatcher,
    async (pages: readonly Page[]) => {
      if (pages.length === 0) {
        return [];
      }
      const byShape = Map.groupBy(pages, ({ shape }) => shape.name);
      const groups = [...byShape].toSorted(([one], [other]) => (one < other ? -1 : 1));
      const found = await findGroups(groups.map(([, alike]) => alike));
      const next = new Map(groups.map(([name], place) => [name, found[place]?.values()]));
      return pages.map(({ shape }) => next.get(shape.name)?.next().value ?? none);
    },
    isFault,
  );
  return leavingPrefixes(databaseOrder, find);
}

function nameOf({ shapes, keepsOrder }: Combination): string {
  return `${keepsOrder ? 'in order\n' : ''}${shapes.map(({ name }) => name).join(';')}`;
}

/** Leaves prefixes of texts to Prisma's engine where the database doesn't order them by their bytes. */
export function leavingPrefixes(
  databaseOrder: () => Promise<DatabaseOrder>,
  find: FindPages,
): FindPages {
  const findPrefixed: FindPages = async (pages) => {
    const { bytewise } = await databaseOrder();
    if (pages.some(({ prefixed }) => prefixed !== undefined && !bytewise.has(prefixed))) {
      throw new LeftToEngine();
    }
    return find(pages);
  };
  return (pages) =>
    pages.some(({ prefixed }) => prefixed !== undefined) ? findPrefixed(pages) : find(pages);
}
