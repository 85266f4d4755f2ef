import { isDeepStrictEqual } from 'node:util';

/** An exchange's name with the statuses, headers and bodies of its responses. */
export type Recorded = readonly [name: string, lines: readonly string[]];

/** The names of exchanges whose responses differ, grouped by difference. */
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

/** The lines that only one of the recordings has; all lines if only their order differs. */
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
