import { isDeepStrictEqual } from 'node:util';

/** An exchange by its name, and what was answered: statuses, headers and bodies. */
export type Recorded = readonly [name: string, lines: readonly string[]];

/** The names of exchanges that were answered differently, by what differs. */
export function differencesOf(
  before: readonly Recorded[],
  after: readonly Recorded[],
): ReadonlyMap<string, readonly string[]> {
  const [earlier, later] = [new Map(before), new Map(after)];
  const differing = [...new Set([...earlier.keys(), ...later.keys()])].filter(
    (name) => !isDeepStrictEqual(earlier.get(name), later.get(name)),
  );
  return Map.groupBy(differing, (name) => differenceOf(earlier.get(name), later.get(name)));
}

/** The lines that only one of two answers has; all, if only their order differs. */
function differenceOf(before: readonly string[] = [], after: readonly string[] = []): string {
  const lost = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  return lost.length + added.length === 0
    ? [
        'another order:',
        ...before.map((line) => `- ${line}`),
        ...after.map((line) => `+ ${line}`),
      ].join('\n')
    : [...lost, ...added].join('\n');
}
