import type { Animal, Writes } from '../store-requests.ts';

/** From one moment to a later one, by a clock that counts what clients send and receive: no two things happen at once. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The moments that any of the spans has, as spans that are apart. */
export function union(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = apart.at(-1);
    if (last === undefined || last.to < span.from) {
      apart.push(span);
    } else {
      apart.splice(-1, 1, { from: last.from, to: Math.max(last.to, span.to) });
    }
  }
  return apart;
}

/** The moments that both have. */
export function intersection(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others
      .map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }))
      .filter(({ from, to }) => from < to),
  );
}

/** Before anything is written. */
export const NOTHING_YET = 'not there yet';
/** What is written last: nothing follows it. */
export const REMOVED = 'removed';

/** What a register has had: each value is written by one write alone, so that it tells which. */
export type Value = string | number;

interface Version {
  readonly since: number;
  /** How many requests to write it may have done so. */
  requests: number;
  /** When a client first heard that it had been written. */
  heard: number;
  /** When the last request was sent that wrote it, or that it answered. */
  lastAsked: number;
}

/**
 * What one thing that changes may have been, and when, as far as its clients can know. A value that was shown before
 * another one was asked for, or read once more, precedes it: this alone orders the writes, and is all that there is to
 * check of a linearizable register whose values are unique (Gibbons and Korach, Testing Shared Memories, 1997).
 */
function createRegister() {
  const versions = new Map<Value, Version>([
    [NOTHING_YET, { since: -Infinity, requests: 1, heard: -Infinity, lastAsked: -Infinity }],
  ]);

  /** It had been written by then, and perhaps others since. */
  const written = (value: Value, by: number): void => {
    const version = versions.get(value);
    if (version !== undefined) version.heard = Math.min(version.heard, by);
  };
  /** When a client first heard of something that follows the value. */
  const until = (value: Value, { heard }: Version): number => {
    const followers = [...versions].filter(
      ([other, { lastAsked }]) => other !== value && (other === REMOVED || heard < lastAsked),
    );
    return value === REMOVED ? Infinity : Math.min(...followers.map(([, { heard: by }]) => by));
  };
  const spans = (): [Value, Span][] =>
    Array.from(versions, ([value, version]) => [
      value,
      { from: version.since, to: until(value, version) },
    ]);

  return {
    /** A client asks for the value to be written, for the first time or again. */
    asked: (value: Value, at: number): void => {
      const version = versions.get(value);
      if (version === undefined) {
        versions.set(value, { since: at, requests: 1, heard: Infinity, lastAsked: at });
      } else {
        version.requests += 1;
      }
    },
    /** It was not written, for this once. */
    refused: (value: Value): void => {
      const version = versions.get(value);
      if (version === undefined) return;
      version.requests -= 1;
      if (version.requests === 0) versions.delete(value);
    },
    written,
    /** At a moment of the span, the register had the value. */
    shown: (value: Value, { from, to }: Span): void => {
      written(value, to);
      const version = versions.get(value);
      if (version !== undefined) version.lastAsked = Math.max(version.lastAsked, from);
    },
    has: (value: Value) => versions.has(value),
    /** By when something had certainly been written. */
    existsBy: () =>
      Math.min(
        ...[...versions].map(([value, { heard }]) => (value === NOTHING_YET ? Infinity : heard)),
      ),
    /** When it may have had one of these values. */
    when: (isOne: (value: Value) => boolean) =>
      union(
        spans().flatMap(([value, span]) => (isOne(value) && span.from < span.to ? [span] : [])),
      ),
    /** All of them, in words. */
    toString: () =>
      spans()
        .map(([value, { from, to }]) => `${value} from ${from} to ${to}`)
        .join(', '),
  };
}

type Register = ReturnType<typeof createRegister>;

/** An animal that clients have heard of: a register for each of what is always written together. */
export interface Row {
  readonly id: number;
  /** Also of whether the animal is there. */
  readonly name: Register;
  readonly categoryId: Register;
}

export const FIELDS = ['name', 'categoryId'] as const;

/**
 * @param isLearned whether a create that was shown under an id has that one from then on; else it may be lost, and be made
 *   again under another one
 */
export function createRows(isLearned: boolean) {
  const rows = new Map<number, Row>();
  /** What creates write, and since when. Whose it is turns out when it is first shown. */
  const created = new Map<Value, { readonly since: number; id?: number }>();

  const open = (id: number): Row => {
    const row = rows.get(id) ?? { id, name: createRegister(), categoryId: createRegister() };
    rows.set(id, row);
    return row;
  };
  /** The animal that was shown; its registers don't have what nobody has sent for it. */
  const of = (animal: Animal): Row => {
    const row = open(animal.id);
    for (const field of FIELDS) {
      const create = created.get(animal[field]);
      if (create !== undefined && (create.id === undefined || !isLearned)) {
        create.id = animal.id;
        if (!row[field].has(animal[field])) row[field].asked(animal[field], create.since);
      }
    }
    return row;
  };
  const each = (row: Row, writes: Writes, use: (register: Register, value: Value) => void) => {
    for (const field of FIELDS) {
      const value = writes[field];
      if (value !== undefined) use(row[field], value);
    }
  };

  return {
    of,
    open,
    /** In the order of their ids. */
    all: (): readonly Row[] => [...rows.values()].toSorted((one, other) => one.id - other.id),
    asked: (writes: Writes, id: number | undefined, at: number): void => {
      if (id !== undefined) {
        each(open(id), writes, (register, value) => register.asked(value, at));
        return;
      }
      for (const value of [writes.name, writes.categoryId]) {
        if (value !== undefined && !created.has(value)) created.set(value, { since: at });
      }
    },
    refused: (writes: Writes, id: number): void => {
      each(open(id), writes, (register, value) => register.refused(value));
    },
    written: (animal: Animal, writes: Writes, by: number): void => {
      each(of(animal), writes, (register, value) => register.written(value, by));
    },
    /** At one moment of the span the animal was as it was shown. */
    shown: (animal: Animal, span: Span): void => {
      each(of(animal), animal, (register, value) => register.shown(value, span));
    },
  };
}
