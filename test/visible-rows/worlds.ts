import type { Choices } from './random.ts';
import { ANN, OWNERS, sees, TEAMS } from './rules.ts';
import type { Design } from './design.ts';
import { TABLES, type Model, type Row, type Table, type World } from './tables.ts';

/** Names of which some begin like others, or contain them. */
export const NAMES = ['apple', 'apple pie', 'Apple', 'pineapple', 'berry', 'blueberry'] as const;
/** Ids of rows that are there at first, of rows that one world has more, and of none. */
const MOST: Readonly<Record<Model, number>> = { Topic: 4, Folder: 6, Note: 9, Tag: 6 };
const MORE = 50;

/** The id with this number: that of a tag is a UUID. */
export function idOf(model: Model, number: number): string {
  return model === 'Tag'
    ? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    : String(number);
}

/** Two worlds in which ann sees the same rows, and of which the others differ. */
export function worldsOf(design: Design, choices: Choices): readonly [World, World] {
  const a = firstWorld(choices);
  return [a, otherWorld(design, a, choices)];
}

function firstWorld(choices: Choices): World {
  const world: Record<Model, Row[]> = { Topic: [], Folder: [], Note: [], Tag: [] };
  for (const table of TABLES) {
    const count =
      table.model === 'Tag' ? choices.below(MOST.Tag) : 1 + choices.below(MOST[table.model]);
    for (let number = 1; number <= count; number += 1) {
      const row = { ...anyRow(table, world, choices), id: idOf(table.model, number) };
      if (!conflicts(table, row, world[table.model])) {
        world[table.model].push(row);
      }
    }
  }
  return world;
}

function otherWorld({ rules }: Design, a: World, choices: Choices): World {
  const world: Record<Model, Row[]> = { Topic: [], Folder: [], Note: [], Tag: [] };
  const isHidden = (table: Table, row: Row) => !sees(rules[table.model], ANN, row);
  for (const table of TABLES) {
    const { model } = table;
    // First what ann sees, so that nothing else takes its unique values.
    const [visible, hidden] = [
      a[model].filter((row) => !isHidden(table, row)),
      a[model].filter((row) => isHidden(table, row)),
    ];
    const rows = [...visible, ...hidden];
    for (const row of hidden) {
      const other = { ...anyRow(table, a, choices), id: row['id'] ?? '' };
      const others = rows.filter((each) => each !== row);
      if (isHidden(table, other) && !conflicts(table, other, others)) {
        rows.splice(rows.indexOf(row), 1, other);
      }
    }
    for (let number = choices.below(3); number > 0; number -= 1) {
      const row = { ...anyRow(table, a, choices), id: idOf(model, MORE + number) };
      if (isHidden(table, row) && !conflicts(table, row, rows)) {
        rows.push(row);
      }
    }
    world[model] = rows;
  }
  // What nothing refers to may be missing, too: those first that refer to others.
  for (const table of TABLES.toReversed()) {
    const { model } = table;
    world[model] = world[model].filter(
      (row) => !isHidden(table, row) || isReferred(world, model, row) || choices.below(2) === 0,
    );
  }
  return world;
}

export function anyRow({ columns, references }: Table, world: World, choices: Choices): Row {
  const values: Readonly<Record<string, () => string | null>> = {
    // Null is nobody's.
    ownerId: () => ('parentId' in columns && choices.rarely(8) ? null : choices.of(OWNERS)),
    team: () => choices.of(TEAMS),
    name: () => choices.of(NAMES),
    title: () => choices.of(NAMES),
    label: () => choices.of(NAMES),
    code: () => String(choices.below(4)),
    rank: () => String(choices.below(3)),
  };
  const row = Object.fromEntries(
    Object.keys(columns).flatMap((field) => {
      const value = values[field];
      return value === undefined ? [] : [[field, value()]];
    }),
  );
  for (const [field, to] of references) {
    const isOptional = field === 'parentId' || field === 'folderId';
    row[field] =
      world[to].length === 0 || (isOptional && choices.below(3) === 0)
        ? null
        : (choices.of(world[to])['id'] ?? null);
  }
  return row;
}

function conflicts({ unique }: Table, row: Row, rows: readonly Row[]): boolean {
  return rows.some((other) =>
    unique.every((field) => row[field] !== null && row[field] === other[field]),
  );
}

function isReferred(world: World, model: Model, row: Row): boolean {
  return TABLES.some(({ references, model: from }) =>
    references.some(
      ([field, to]) =>
        to === model && world[from].some((other) => other !== row && other[field] === row['id']),
    ),
  );
}
