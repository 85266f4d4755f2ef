import { boolean, constant, constantFrom, oneof, record, tuple, type Arbitrary } from 'fast-check';
import { models } from './generated/batched-models.ts';

/** The models of schema.prisma, each after those that it refers to. */
export const MODELS = ['Topic', 'Folder', 'Note', 'Tag'] as const;
export type Model = (typeof MODELS)[number];

/** A row, by field name; numbers as their digits. */
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

/** What a rule returns to a caller, in JSON: all rows, the values of each column, or a mistake. */
type Answer = 'all' | Mistake | Readonly<Record<string, string | readonly string[]>>;
type Mistake = keyof typeof MISTAKES;

/** A row rule: which rows each caller sees, by the caller's name. */
export interface Rule {
  readonly columns: readonly string[];
  readonly answers: Readonly<Record<string, Answer>>;
}

/** What a store might return by accident. The caller sees no rows then: only `true` means all rows. */
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

/** What the rule returns to the gateway. */
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

/** Whether a caller may see a row. */
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

/** One of these, or sometimes no value at all. */
const mostly = (...some: readonly (string | string[])[]) =>
  oneof(
    { arbitrary: constantFrom(...some), weight: 15 },
    { arbitrary: constant<string[]>([]), weight: 1 },
  );

const VALUES: Readonly<Record<string, Arbitrary<string | string[]>>> = {
  ownerId: mostly('1', '2', ['1', '2'], ['2', '3'], ['1']),
  team: mostly('red', 'blue', ['red', 'blue'], ['teal', 'red'], ['red', 'red']),
};

/** Rules over some of these columns, by which each caller usually sees a part of the rows. */
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

/** A schema over the tables: who sees what, and which fields there are. */
export interface Design {
  readonly rules: Readonly<Record<Model, Rule | null>>;
  /** What lists can be filtered by. */
  readonly folderFilters: 'none' | 'parentId' | 'team';
  readonly noteFilters: 'none' | 'folderId' | 'folderIds' | 'ownerId';
  /** Orders, ranges and prefixes; searches; counts; sets of ids. */
  readonly isOrdered: boolean;
  readonly isSearched: boolean;
  readonly isCounted: boolean;
  readonly byIds: boolean;
  /** Whether fields that read one row may be coalesced. */
  readonly sharedGets: boolean;
  readonly toOne: boolean;
  readonly toMany: boolean;
  /** The store's own resolvers, with Prisma calls that no list makes. */
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
