/** An animal as the database has it. */
export interface StoredAnimal {
  readonly id: string;
  readonly name: string;
}

export type Ledger = ReturnType<typeof createLedger>;

interface Addition {
  readonly repeatable: boolean;
  requests: number;
  /** Every answer's, which should be one. */
  readonly ids: Set<string>;
}

/**
 * What clients have asked to be added, and what they were told, to be held against the database. Every addition
 * has a name of its own, so that an animal tells who has asked for it.
 */
export function createLedger() {
  const additions = new Map<string, Addition>();
  return {
    /** Before it is sent; again when it is sent again, which only those with an Idempotency-Key are. */
    asked: (name: string, { repeatable }: { readonly repeatable: boolean }): void => {
      const addition = additions.get(name) ?? { repeatable, requests: 0, ids: new Set() };
      addition.requests += 1;
      additions.set(name, addition);
    },
    acknowledged: (name: string, id: string): void => {
      additions.get(name)?.ids.add(id);
    },
    /** Animals that are not acknowledged yet, and have to be sent again until they are. */
    open: (): readonly string[] =>
      [...additions].flatMap(([name, { repeatable, ids }]) =>
        repeatable && ids.size === 0 ? [name] : [],
      ),
    /** How many additions were asked for, how often they were sent, and how many were acknowledged. */
    counts: () => {
      const all = [...additions.values()];
      return {
        additions: all.length,
        requests: all.reduce((sum, { requests }) => sum + requests, 0),
        acknowledged: all.filter(({ ids }) => ids.size > 0).length,
      };
    },
    /** What is wrong with the animals that were added, in words; [] if each is there exactly as often as it should be. */
    faults: (animals: readonly StoredAnimal[]): string[] => {
      const stored = Map.groupBy(animals, ({ name }) => name);
      const phantoms = [...stored.keys()].filter((name) => !additions.has(name));
      return [
        ...phantoms.map((name) => `nobody asked for ${name}`),
        ...[...additions].flatMap(([name, addition]) =>
          faultOf(
            name,
            addition,
            (stored.get(name) ?? []).map(({ id }) => id),
          ),
        ),
      ];
    },
  };
}

function faultOf(
  name: string,
  { repeatable, requests, ids }: Addition,
  stored: string[],
): string[] {
  const told = `${name}, sent ${requests} times and answered with [${[...ids].join()}], is there as [${stored.join()}]`;
  if (!repeatable && requests > 1) {
    return [`${name} was sent again without a key: no count could be right`];
  }
  if (stored.length > 1 || ids.size > 1) {
    return [told];
  }
  // What was not acknowledged, and not to be repeated until it is, may be there or not.
  const [id] = ids;
  return id === undefined && !repeatable ? [] : id === stored[0] && id !== undefined ? [] : [told];
}
