import {
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
  tuple,
  type Arbitrary,
  type GeneratorValue,
} from 'fast-check';
import { models } from './generated/batched-models.ts';

/** The models in schema.prisma, each after the models that it refers to. */
export const MODELS = ['Topic', 'Folder', 'Note', 'Tag'] as const;
export type Model = (typeof MODELS)[number];

/** A row's values by field name; numbers are given as their digits. */
export type Row = Readonly<Record<string, string | null>>;
export type World = Readonly<Record<Model, readonly Row[]>>;

export function perModel<Value>(of: (model: Model) => Value): Record<Model, Value> {
  return { Topic: of('Topic'), Folder: of('Folder'), Note: of('Note'), Tag: of('Tag') };
}

const UNIQUE: Readonly<Record<Model, readonly string[]>> = {
  Topic: ['team', 'name'],
  Folder: ['ownerId', 'team', 'name'],
  Note: ['ownerId', 'team', 'code'],
  Tag: ['id'],
};

export const TABLES = perModel((model) => {
  const { table: name = '', columns = [], relations = [] } = models[model] ?? {};
  const references = relations.filter(({ kind }) => kind === 'one');
  return { name, columns, relations, references, unique: UNIQUE[model] };
});

/** The caller from whom rows are hidden in both worlds, one with a similar view, and one that often sees all rows. */
export const CALLERS = ['ann', 'bob', 'eve'] as const;
export const [ANN] = CALLERS;

/** What a rule returns to a caller, in JSON: all rows, the visible values for each column, or a mistake. */
type Answer = 'all' | Mistake | Readonly<Record<string, string | readonly string[]>>;
type Mistake = keyof typeof MISTAKES;

/** A row rule: the rows that each caller sees, by the caller's name. */
export interface Rule {
  readonly columns: readonly string[];
  readonly answers: Readonly<Record<string, Answer>>;
}

/** Values that a store might return by accident. The caller then sees no rows, because only `true` means all rows. */
export const MISTAKES = {
  false: () => false,
  null: () => null,
  undefined: () => undefined,
  truthy: () => 1,
  text: () => 'true',
  empty: () => ({}),
  promise: () => Promise.resolve(true),
  undefinedOwner: () => ({ ownerId: undefined }),
  nullOwner: () => ({ ownerId: null }),
  undefinedTeam: () => ({ team: undefined }),
  undefinedItem: () => ({ team: { in: [undefined] } }),
  otherColumn: () => ({ id: 1n }),
  otherCondition: () => ({ team: { not: 'none' } }),
  anyOf: () => ({ OR: [{ team: 'red' }, { team: 'blue' }] }),
} as const;

const valueOf = (column: string, text: string) => (column === 'ownerId' ? BigInt(text) : text);

/** Converts an answer to what the rule returns to the gateway. */
export function whereOf(answer: Answer = 'undefined'): unknown {
  if (typeof answer === 'string') {
    return answer === 'all' ? true : MISTAKES[answer]();
  }
  return Object.fromEntries(
    Object.entries(answer).map(([column, value]) => [
      column,
      typeof value === 'string'
        ? valueOf(column, value)
        : { in: value.map((each) => valueOf(column, each)) },
    ]),
  );
}

/** Returns whether a caller may see a row. */
export function sees(rule: Rule | null, caller: string, row: Row): boolean {
  const answer = rule === null ? 'all' : rule.answers[caller];
  if (typeof answer !== 'object') {
    return answer === 'all';
  }
  return Object.entries(answer).every(([column, values]) => {
    const value = row[column];
    return typeof value === 'string' && [values].flat().includes(value);
  });
}

/** Generates one of these, or sometimes no value at all. */
const mostly = (...some: readonly (string | string[])[]) =>
  oneof(
    { arbitrary: constantFrom(...some), weight: 15 },
    { arbitrary: constant<string[]>([]), weight: 1 },
  );

const VALUES: Readonly<Record<string, Arbitrary<string | string[]>>> = {
  ownerId: mostly('1', '2', ['1', '2'], ['2', '3'], ['1']),
  team: mostly('red', 'blue', ['red', 'blue'], ['teal', 'red'], ['red', 'red']),
};

/** Generates rules on some of these columns, under which each caller usually sees a part of the rows. */
function rulesOf(...columns: readonly string[]): Arbitrary<Rule | null> {
  const rule = constantFrom(columns, ...columns.map((each) => [each])).chain((chosen) => {
    const part = tuple(...chosen.map((column) => VALUES[column] ?? constant('1'))).map(
      (values): Answer =>
        Object.fromEntries(chosen.map((column, index) => [column, values[index] ?? '1'])),
    );
    const all = constant<Answer>('all');
    const mistakes: readonly Answer[] = keysOf(MISTAKES);
    const mostlyPart = oneof(
      { arbitrary: part, weight: 14 },
      { arbitrary: constantFrom(...mistakes), weight: 1 },
      { arbitrary: all, weight: 1 },
    );
    return record({
      columns: constant(chosen),
      answers: record({ ann: mostlyPart, bob: mostlyPart, eve: oneof(part, all) }),
    });
  });
  return oneof({ arbitrary: rule, weight: 3 }, { arbitrary: constant(null), weight: 1 });
}

export function keysOf<Keys extends string>(object: Readonly<Record<Keys, unknown>>): Keys[] {
  const names: string[] = Object.keys(object);
  return names.filter((name): name is Keys => name in object);
}

/** A schema over the tables: its row rules and its fields. */
export interface Design {
  readonly rules: Readonly<Record<Model, Rule | null>>;
  /** The arguments by which lists can be filtered. */
  readonly folderFilters: 'none' | 'parentId' | 'team';
  readonly noteFilters: 'none' | 'folderId' | 'folderIds' | 'ownerId';
  /** Whether there are orders, ranges and prefixes (isOrdered), searches, counts and sets of ids. */
  readonly isOrdered: boolean;
  readonly isSearched: boolean;
  readonly isCounted: boolean;
  readonly byIds: boolean;
  /** Whether fields that read a single row may be coalesced. */
  readonly sharedGets: boolean;
  readonly toOne: boolean;
  readonly toMany: boolean;
  /** Whether the store has its own resolvers, with Prisma calls that the gateway's lists do not make. */
  readonly own: boolean;
}

const often = constantFrom(true, true, false);

export const designs: Arbitrary<Design> = record({
  rules: record({
    Topic: rulesOf('team'),
    Folder: rulesOf('ownerId', 'team'),
    Note: rulesOf('ownerId', 'team'),
    Tag: rulesOf('ownerId'),
  }),
  folderFilters: constantFrom('none', 'parentId', 'team'),
  noteFilters: constantFrom('none', 'folderId', 'folderIds', 'ownerId'),
  isOrdered: often,
  isSearched: boolean(),
  isCounted: boolean(),
  byIds: boolean(),
  sharedGets: boolean(),
  toOne: often,
  toMany: often,
  own: often,
});

/** Random decisions that fast-check generates and shrinks. */
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

  /** Returns true once in this many calls, on average. */
  rarely(times: number): boolean {
    return this.below(times) === times - 1;
  }
}

/** Some names are prefixes or parts of others. */
const NAMES = ['apple', 'apple pie', 'Apple', 'pineapple', 'berry', 'blueberry'];
const PREFIXES = ['app', 'A', 'b', 'blue', 'apple p'];
const DIGITS = ['0', '1', '2', '3'];

/** Sample values for columns, arguments and parameters; all others use NAMES. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
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
  return choices.of(SAMPLES[name] ?? NAMES);
}

/** The maximum number of rows in a world. Rows that only one of the worlds has get ids above MORE. */
const MOST: Readonly<Record<Model, number>> = { Topic: 4, Folder: 6, Note: 9, Tag: 6 };
const MORE = 50;

/** Returns the id with this number; a tag's id is a UUID. */
export function idOf(model: Model, number: number): string {
  return model === 'Tag'
    ? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    : String(number);
}

/** Returns two worlds in which ann sees the same rows, but whose other rows differ. */
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
    // Visible rows come first, so that no other row takes their unique values.
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
  // Hidden rows may also be missing if no other row refers to them. Referring models come first, so their rows are
  // removed first.
  for (const model of MODELS.toReversed()) {
    world[model] = world[model].filter(
      (row) => !isHidden(model, row) || isReferenced(world, model, row) || choices.below(2) === 0,
    );
  }
  return world;
}

/** Generates a row without an id that refers to rows in the world. */
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

/** Returns the world after a row is changed or removed, or undefined if a constraint forbids it. */
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
