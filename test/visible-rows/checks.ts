import { isDeepStrictEqual } from 'node:util';
import {
  ANN,
  CALLERS,
  MODELS,
  perModel,
  sees,
  TABLES,
  type Design,
  type Model,
  type Row,
  type World,
} from './design.ts';
import type { Exchanges } from './exchanges.ts';

/** The rows of a world that a caller sees. */
export function visibleIn({ rules }: Design, world: World, caller: string = ANN): World {
  return perModel((model) => world[model].filter((row) => sees(rules[model], caller, row)));
}

const rowWithId = (rows: readonly Row[], { id }: Row) => rows.find((each) => each['id'] === id);

/**
 * What ann has done to rows that it doesn't see: it must neither change nor create any. When ann removes a row, the database's foreign
 * keys act on hidden rows, too: they are emptied, and tags are removed with their note.
 */
export function faultsOfEffects(design: Design, before: World, after: World): string[] {
  return MODELS.flatMap((model) => {
    const isHidden = (row: Row) => !sees(design.rules[model], ANN, row);
    const changed = before[model].filter(isHidden).flatMap((row) => {
      const lost = TABLES[model].references.filter(
        ({ model: to, foreignKey }) =>
          row[foreignKey] !== null &&
          MODELS.every(
            (each) => each !== to || after[each].every(({ id }) => id !== row[foreignKey]),
          ),
      );
      const emptied = Object.fromEntries(lost.map(({ foreignKey }) => [foreignKey, null]));
      const now = rowWithId(after[model], row);
      const isRight =
        now === undefined
          ? model === 'Tag' && lost.length > 0
          : isDeepStrictEqual({ ...now }, { ...row, ...emptied });
      return isRight ? [] : [`ann has changed a hidden ${model}: ${json(row)} is now ${json(now)}`];
    });
    const created = after[model].filter(isHidden).flatMap((row) => {
      const was = rowWithId(before[model], row);
      return was !== undefined && isHidden(was)
        ? []
        : [`ann has made a hidden ${model} of ${json(was)}: ${json(row)}`];
    });
    return [...changed, ...created];
  });
}

/** What is wrong with what callers are shown: each must see all rows that it may, and their relations. */
export async function faultsOfLists(
  design: Design,
  world: World,
  exchanges: Exchanges,
): Promise<string[]> {
  // All at the same time, so that a caller could get what another one sees.
  const asked = CALLERS.flatMap((caller) =>
    MODELS.map((model) => faultsOfList(design, world, exchanges, { caller, model })),
  );
  return (await Promise.all(asked)).flat();
}

async function faultsOfList(
  design: Design,
  world: World,
  exchanges: Exchanges,
  { caller, model }: { readonly caller: string; readonly model: Model },
): Promise<string[]> {
  const { name, relations } = TABLES[model];
  const visible = visibleIn(design, world, caller);
  const selected = relations.filter(({ isList }) => (isList ? design.toMany : design.toOne));
  const isCounted = design.isCounted && (model === 'Note' || model === 'Folder');
  const counted = isCounted ? `${name}Connection(limit: 1) { totalCount }` : '';
  const fields = selected.map(
    ({ field, isList }) => `${field}${isList ? '(limit: 30)' : ''} { id }`,
  );
  const query = `{ ${name}(limit: 50) { id ${fields.join(' ')} } ${counted} }`;
  const { text } = await exchanges.send(caller, {
    method: 'POST',
    path: '/graphql',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const shown = visible[model].map((row) => {
    const related = selected.map(({ field, model: to, foreignKey, isList }): [string, unknown] => {
      const all = MODELS.flatMap((each) => (each === to ? visible[each] : []));
      const [inOther, inRow] = isList ? [foreignKey, 'id'] : ['id', foreignKey];
      const ids = all.filter((other) => other[inOther] === row[inRow]).map(({ id }) => ({ id }));
      return [field, isList ? ids : (ids[0] ?? null)];
    });
    const shownRow: Record<string, unknown> = Object.fromEntries([['id', row['id']], ...related]);
    return shownRow;
  });
  const count = isCounted && { [`${name}Connection`]: { totalCount: shown.length } };
  const expected = JSON.stringify({ data: { [name]: shown, ...count } });
  return text === expected ? [] : [`${caller} gets ${text} for ${query}, not ${expected}`];
}

function json(row: Row | undefined): string {
  return JSON.stringify(row);
}
