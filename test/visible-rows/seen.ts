import type { Design } from './design.ts';
import type { Exchanges } from './exchanges.ts';
import { CALLERS, sees } from './rules.ts';
import { TABLES, type Model, type Row, type Table, type World } from './tables.ts';

/** Relations by their fields: of the row itself, or of those that refer to it. */
const RELATIONS: Readonly<
  Record<Model, readonly { field: string; to: Model; by: string; isList: boolean }[]>
> = {
  Topic: [{ field: 'notes', to: 'Note', by: 'topicId', isList: true }],
  Folder: [
    { field: 'parent', to: 'Folder', by: 'parentId', isList: false },
    { field: 'children', to: 'Folder', by: 'parentId', isList: true },
    { field: 'notes', to: 'Note', by: 'folderId', isList: true },
  ],
  Note: [
    { field: 'folder', to: 'Folder', by: 'folderId', isList: false },
    { field: 'topic', to: 'Topic', by: 'topicId', isList: false },
    { field: 'tags', to: 'Tag', by: 'noteId', isList: true },
  ],
  Tag: [{ field: 'note', to: 'Note', by: 'noteId', isList: false }],
};

/** What is wrong with what callers are shown of a world: each is to see all rows that it may, and their relations. */
export async function faultsOfSeen(
  design: Design,
  world: World,
  exchanges: Exchanges,
): Promise<string[]> {
  // Of all callers and types at once: none is to get what another one sees.
  const asked = CALLERS.flatMap((caller) =>
    TABLES.map((table) => faultsOfList(design, world, exchanges, { caller, table })),
  );
  return (await Promise.all(asked)).flat();
}

async function faultsOfList(
  design: Design,
  world: World,
  exchanges: Exchanges,
  { caller, table: { model, name } }: { readonly caller: string; readonly table: Table },
): Promise<string[]> {
  const relations = RELATIONS[model].filter(({ isList }) =>
    isList ? design.toMany : design.toOne,
  );
  const selected = relations.map(
    ({ field, isList }) => `${field}${isList ? '(limit: 30)' : ''} { id }`,
  );
  const isCounted = design.isCounted && (model === 'Note' || model === 'Folder');
  const counted = isCounted ? `${name}Connection(limit: 1) { totalCount }` : '';
  const query = `{ ${name}(limit: 50) { id ${selected.join(' ')} } ${counted} }`;
  const { text } = await exchanges.send(caller, {
    method: 'POST',
    path: '/graphql',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const rows = seenIn(design, world, caller, model);
  const shown = rows.map((row) => shownOf(design, world, caller, row, relations));
  const count = isCounted && { [`${name}Connection`]: { totalCount: rows.length } };
  const expected = JSON.stringify({ data: { [name]: shown, ...count } });
  return text === expected ? [] : [`${caller} gets ${text} for ${query}, not ${expected}`];
}

function seenIn({ rules }: Design, world: World, caller: string, model: Model): readonly Row[] {
  return world[model].filter((row) => sees(rules[model], caller, row));
}

function shownOf(
  design: Design,
  world: World,
  caller: string,
  row: Row,
  relations: (typeof RELATIONS)[Model],
): object {
  const shown: [string, unknown][] = [['id', row['id']]];
  for (const { field, to, by, isList } of relations) {
    const all = seenIn(design, world, caller, to);
    const related = isList
      ? all.filter((each) => each[by] === row['id'])
      : all.filter((each) => each['id'] === row[by]);
    const ids = related.map(({ id }) => ({ id }));
    shown.push([field, isList ? ids : (ids[0] ?? null)]);
  }
  return Object.fromEntries(shown);
}
