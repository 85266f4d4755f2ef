/** An animal as the database has it. */
export interface StoredAnimal {
  readonly id: string;
  readonly name: string;
}

/**
 * What clients have asked to be added, and what they were told, to be held against the database. Every addition
 * has a name of its own, so that an animal tells who has asked for it.
 */
export interface Ledger {
  /** Before it is sent; again when it is sent again, which only those with an Idempotency-Key are. */
  readonly asked: (name: string, options: { readonly repeatable: boolean }) => void;
  readonly acknowledged: (name: string, id: string) => void;
  /** Animals that are not acknowledged yet, and have to be sent again until they are. */
  readonly open: () => readonly string[];
  readonly counts: () => Counts;
  /** What is wrong with the animals that were added, in words; [] if each is there exactly as often as it should be. */
  readonly faults: (animals: readonly StoredAnimal[]) => string[];
}

export interface Counts {
  /** Additions that were asked for. */
  readonly additions: number;
  /** How often they were sent. */
  readonly requests: number;
  readonly acknowledged: number;
}

interface Addition {
  readonly repeatable: boolean;
  requests: number;
  /** Every answer's, which should be one. */
  readonly ids: Set<string>;
}

export function createLedger(): Ledger {
  const additions = new Map<string, Addition>();
  return {
    asked: (name, { repeatable }) => {
      const addition = additions.get(name) ?? { repeatable, requests: 0, ids: new Set() };
      addition.requests += 1;
      additions.set(name, addition);
    },
    acknowledged: (name, id) => {
      additions.get(name)?.ids.add(id);
    },
    open: () =>
      [...additions].flatMap(([name, { repeatable, ids }]) =>
        repeatable && ids.size === 0 ? [name] : [],
      ),
    counts: () => {
      const all = [...additions.values()];
      return {
        additions: all.length,
        requests: all.reduce((sum, { requests }) => sum + requests, 0),
        acknowledged: all.filter(({ ids }) => ids.size > 0).length,
      };
    },
    faults: (animals) => {
      const stored = new Map<string, string[]>();
      for (const { id, name } of animals) {
        stored.set(name, [...(stored.get(name) ?? []), id]);
      }
      const phantoms = [...stored.keys()].filter((name) => !additions.has(name));
      return [
        ...phantoms.map((name) => `nobody asked for ${name}`),
        ...[...additions].flatMap(([name, addition]) =>
          faultOf(name, addition, stored.get(name) ?? []),
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
