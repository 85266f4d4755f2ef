import { nat, type GeneratorValue } from 'fast-check';
import {
  ANN,
  MODELS,
  perModel,
  sees,
  TABLES,
  type Design,
  type Model,
  type Row,
  type World,
} from './design.ts';

/** Random decisions, which fast-check makes and shrinks. */
export class Choices {
  readonly #generator: GeneratorValue;

  constructor(generator: GeneratorValue) {
    this.#generator = generator;
  }

  below(limit: number): number {
    return this.#generator(nat, limit - 1);
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) {
      throw new Error('nothing to choose from');
    }
    return item;
  }

  /** Once in so many times. */
  rarely(times: number): boolean {
    return this.below(times) === times - 1;
  }
}

/** Some names are prefixes or parts of others. */
const NAMES = ['apple', 'apple pie', 'Apple', 'pineapple', 'berry', 'blueberry'];
const PREFIXES = ['app', 'A', 'b', 'blue', 'apple p'];
const DIGITS = ['0', '1', '2', '3'];

/** Values of columns, arguments and parameters; for all others, NAMES. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  ownerId: ['1', '2', '3'],
  team: ['red', 'blue', 'teal'],
  code: DIGITS,
  rank: ['0', '1', '2'],
  rankFrom: DIGITS,
  rankBefore: DIGITS,
  first: DIGITS,
  last: DIGITS,
  limit: ['1', '2', '3', '4'],
  search: ['app', 'ple', 'berry', 'pie', 'PINE'],
  prefix: PREFIXES,
  namePrefix: PREFIXES,
  titlePrefix: PREFIXES,
  idempotencyKey: ['k1', 'k2'],
};

export function anyValue(name: string, choices: Choices): string {
  return choices.of(VALUES[name] ?? NAMES);
}

/** How many rows a world has at most, and the number after which ids of rows begin that only one world has. */
const MOST: Readonly<Record<Model, number>> = { Topic: 4, Folder: 6, Note: 9, Tag: 6 };
const MORE = 50;

/** The id with this number: that of a tag is a UUID. */
export function idOf(model: Model, number: number): string {
  return model === 'Tag'
    ? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    : String(number);
}

/** Two worlds in which ann sees the same rows, and that differ in the others. */
export function worldsOf(design: Design, choices: Choices): readonly [World, World] {
  const world = firstWorld(choices);
  return [world, otherWorld(design, world, choices)];
}

function firstWorld(choices: Choices): World {
  const world = perModel((): Row[] => []);
  for (const model of MODELS) {
    const count = choices.below(MOST[model]) + (model === 'Tag' ? 0 : 1);
    for (let number = 1; number <= count; number += 1) {
      const row = { ...anyRow(model, world, choices), id: idOf(model, number) };
      if (!conflicts(model, row, world[model])) {
        world[model].push(row);
      }
    }
  }
  return world;
}

function otherWorld({ rules }: Design, first: World, choices: Choices): World {
  const isHidden = (model: Model, row: Row) => !sees(rules[model], ANN, row);
  const world = perModel((model) => {
    const hidden = first[model].filter((row) => isHidden(model, row));
    // The visible rows come first, so that no other row takes their unique values.
    const rows = [...first[model].filter((row) => !isHidden(model, row)), ...hidden];
    for (const row of hidden) {
      const other = { ...anyRow(model, first, choices), id: row['id'] ?? '' };
      const others = rows.filter((each) => each !== row);
      if (isHidden(model, other) && !conflicts(model, other, others)) {
        rows.splice(rows.indexOf(row), 1, other);
      }
    }
    for (let number = choices.below(3); number > 0; number -= 1) {
      const row = { ...anyRow(model, first, choices), id: idOf(model, MORE + number) };
      if (isHidden(model, row) && !conflicts(model, row, rows)) {
        rows.push(row);
      }
    }
    return rows;
  });
  // Hidden rows may also be missing, if no other row refers to them. The order is such that referring rows are removed first.
  for (const model of MODELS.toReversed()) {
    world[model] = world[model].filter(
      (row) => !isHidden(model, row) || isReferenced(world, model, row) || choices.below(2) === 0,
    );
  }
  return world;
}

/** A row without an id, which refers to rows of a world. */
export function anyRow(model: Model, world: World, choices: Choices): Row {
  const { columns, references } = TABLES[model];
  const keys = new Map(references.map((reference) => [reference.foreignKey, reference.model]));
  return Object.fromEntries(
    columns
      .filter(({ field }) => field !== 'id')
      .map(({ field, isRequired }): [string, string | null] => {
        const to = MODELS.find((each) => each === keys.get(field));
        if (to === undefined) {
          return [field, !isRequired && choices.rarely(8) ? null : anyValue(field, choices)];
        }
        const isNull = world[to].length === 0 || (!isRequired && choices.below(3) === 0);
        return [field, isNull ? null : (choices.of(world[to])['id'] ?? null)];
      }),
  );
}

/** The world after a row is changed or removed; undefined if a constraint forbids it. */
export function changedWorld(
  world: World,
  model: Model,
  id: string,
  values: Row | 'removed',
): World | undefined {
  const row = world[model].find((each) => each['id'] === id);
  const others = world[model].filter((each) => each !== row);
  if (row === undefined) {
    return world;
  }
  if (values === 'removed') {
    return isReferenced(world, model, row) ? undefined : { ...world, [model]: others };
  }
  const changed = { ...row, ...values };
  return conflicts(model, changed, others)
    ? undefined
    : { ...world, [model]: world[model].map((each) => (each === row ? changed : each)) };
}

function conflicts(model: Model, row: Row, rows: readonly Row[]): boolean {
  return rows.some((other) =>
    TABLES[model].unique.every((field) => row[field] !== null && row[field] === other[field]),
  );
}

function isReferenced(world: World, model: Model, row: Row): boolean {
  return MODELS.some((from) =>
    TABLES[from].references.some(
      ({ model: to, foreignKey }) =>
        to === model &&
        world[from].some((other) => other !== row && other[foreignKey] === row['id']),
    ),
  );
}
