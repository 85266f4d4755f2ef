import type { Design } from './design.ts';
import { ANN, sees } from './rules.ts';
import { TABLES, type Row, type World } from './tables.ts';

/** What ann sees of a world. */
export function visibleIn({ rules }: Design, world: World): World {
  const of = (model: keyof World) => world[model].filter((row) => sees(rules[model], ANN, row));
  return { Topic: of('Topic'), Folder: of('Folder'), Note: of('Note'), Tag: of('Tag') };
}

/**
 * What ann has done to rows that it doesn't see: it can't change them, nor make any. What foreign keys do when ann removes a row is
 * the database's: they are emptied, and tags go with their note.
 */
export function faultsOfEffects(design: Design, before: World, after: World): string[] {
  const faults: string[] = [];
  for (const { model, references } of TABLES) {
    const rule = design.rules[model];
    const rows = new Map(after[model].map((row) => [row['id'], row]));
    const known = new Map(before[model].map((row) => [row['id'], row]));
    for (const row of before[model].filter((each) => !sees(rule, ANN, each))) {
      const now = rows.get(row['id']);
      const isGone = references.some(
        ([field, to]) => !after[to].some(({ id }) => id === row[field]) && row[field] !== null,
      );
      const emptied = references.filter(
        ([field, to]) => !after[to].some(({ id }) => id === row[field]),
      );
      const expected = { ...row, ...Object.fromEntries(emptied.map(([field]) => [field, null])) };
      if (now === undefined ? !(model === 'Tag' && isGone) : !isEqual(now, expected)) {
        faults.push(
          `ann has changed a hidden ${model} from ${JSON.stringify(row)} to ${JSON.stringify(now)}`,
        );
      }
    }
    for (const row of after[model].filter((each) => !sees(rule, ANN, each))) {
      const was = known.get(row['id']);
      if (was === undefined || sees(rule, ANN, was)) {
        faults.push(
          `ann has made a ${model} that it doesn't see of ${JSON.stringify(was)}: ${JSON.stringify(row)}`,
        );
      }
    }
  }
  return faults;
}

function isEqual(one: Row, other: Row): boolean {
  return Object.keys({ ...one, ...other }).every((name) => one[name] === other[name]);
}
