import { constant, constantFrom, oneof, record, tuple, type Arbitrary } from 'fast-check';
import type { Row } from './tables.ts';

/**
 * What a rule answers a caller, as it is written in a case: everything, nothing, each column's values, or what a store might
 * return by accident, which is nothing.
 */
export type Answer = 'all' | Accident | Readonly<Record<string, string | readonly string[]>>;
type Accident = keyof typeof ACCIDENTS;

/** Which rows of a type callers see, by their names; without one, everybody sees all. */
export interface Rule {
  readonly columns: readonly string[];
  readonly answers: Readonly<Record<string, Answer>>;
}

/** The caller from whom rows are hidden in both worlds, one who is like it, and one who often sees all. */
export const CALLERS = ['ann', 'bob', 'eve'] as const;
export const [ANN] = CALLERS;

export const OWNERS = ['1', '2', '3'] as const;
export const TEAMS = ['red', 'blue', 'teal'] as const;

/** Only `true` is everything. */
const ACCIDENTS = {
  false: () => false,
  null: () => null,
  undefined: () => undefined,
  truthy: () => 1,
  text: () => 'true',
  empty: () => ({}),
  promise: () => Promise.resolve(true),
  undefinedOwner: () => ({ ownerId: undefined }),
  undefinedTeam: () => ({ team: undefined }),
  undefinedItem: () => ({ team: { in: [undefined] } }),
  otherColumn: () => ({ id: 1n }),
  otherCondition: () => ({ team: { not: 'none' } }),
  anyOf: () => ({ OR: [{ team: 'red' }, { team: 'blue' }] }),
} as const;

/** What the rule returns to the gateway. */
export function whereOf(answer: Answer | undefined): unknown {
  if (answer === 'all') {
    return true;
  }
  if (typeof answer === 'string' || answer === undefined) {
    return ACCIDENTS[answer ?? 'undefined']();
  }
  return Object.fromEntries(
    Object.entries(answer).map(([column, value]) => [
      column,
      typeof value === 'string'
        ? columnValue(column, value)
        : { in: value.map((each) => columnValue(column, each)) },
    ]),
  );
}

const columnValue = (column: string, text: string) => (column === 'ownerId' ? BigInt(text) : text);

/** What the gateway is to make of it. */
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

/** Mostly some of these, otherwise none. */
const mostly = (...some: readonly (string | string[])[]) =>
  oneof(
    { arbitrary: constantFrom(...some), weight: 15 },
    { arbitrary: constant<string[]>([]), weight: 1 },
  );

const VALUES: Readonly<Record<string, Arbitrary<string | string[]>>> = {
  ownerId: mostly('1', '2', ['1', '2'], ['2', '3'], ['1']),
  team: mostly('red', 'blue', ['red', 'blue'], ['teal', 'red'], ['red', 'red']),
};

/** Rules of some of these columns, by which each caller mostly sees a part. */
export function rulesOf(columns: readonly string[]): Arbitrary<Rule | null> {
  const some = columns.length === 1 ? [columns] : [columns, ...columns.map((each) => [each])];
  const rule = constantFrom(...some).chain((chosen) => {
    const part = tuple(...chosen.map((column) => VALUES[column] ?? constant('1'))).map((values) =>
      Object.fromEntries(chosen.map((column, index) => [column, values[index] ?? '1'])),
    );
    const accident = constantFrom(...keysOf(ACCIDENTS));
    const mostlyPart = oneof(
      { arbitrary: part, weight: 14 },
      { arbitrary: accident, weight: 1 },
      { arbitrary: constant('all' as const), weight: 1 },
    );
    const often = oneof(part, constant('all' as const));
    return record({
      columns: constant(chosen),
      answers: record({ ann: mostlyPart, bob: mostlyPart, eve: often }),
    });
  });
  return oneof({ arbitrary: rule, weight: 3 }, { arbitrary: constant(null), weight: 1 });
}

function keysOf<Keys extends string>(object: Readonly<Record<Keys, unknown>>): Keys[] {
  const names: string[] = Object.keys(object);
  return names.filter((name): name is Keys => name in object);
}
