/** An animal in the database. */
export interface StoredAnimal {
  readonly id: string;
  readonly name: string;
}

export type Ledger = ReturnType<typeof createLedger>;

interface Addition {
  readonly repeatable: boolean;
  requests: number;
  /** The ids from all responses, which should be the same. */
  readonly ids: Set<string>;
}

/**
 * Records the additions that clients requested and the responses that they got, for comparison with the database. Every
 * addition has a unique name, which identifies it in the database.
 */
export function createLedger() {
  const additions = new Map<string, Addition>();
  return {
    /** Called before an addition is sent, and again before it is resent, which requires an Idempotency-Key. */
    asked: (name: string, { repeatable }: { readonly repeatable: boolean }): void => {
      const addition = additions.get(name) ?? { repeatable, requests: 0, ids: new Set() };
      addition.requests += 1;
      additions.set(name, addition);
    },
    acknowledged: (name: string, id: string): void => {
      additions.get(name)?.ids.add(id);
    },
    /** Returns animals that have not been acknowledged yet, and have to be resent until they are. */
    open: (): readonly string[] =>
      [...additions].flatMap(([name, { repeatable, ids }]) =>
        repeatable && ids.size === 0 ? [name] : [],
      ),
    /** Returns how many additions were requested, how often they were sent, and how many were acknowledged. */
    counts: () => {
      const all = [...additions.values()];
      return {
        additions: all.length,
        requests: all.reduce((sum, { requests }) => sum + requests, 0),
        acknowledged: all.filter(({ ids }) => ids.size > 0).length,
      };
    },
    /** Returns what is wrong with the added animals, in words; [] if each exists exactly as often as it should. */
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
  // An addition that was not acknowledged and is not repeatable may exist or not.
  const [id] = ids;
  return id === undefined && !repeatable ? [] : id === stored[0] && id !== undefined ? [] : [told];
}
