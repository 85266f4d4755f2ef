import type { Animal, Writes } from '../store-requests.ts';

/** A period by a clock that counts what clients send and receive, so that no two events happen at the same moment. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the moments in any of the spans, as disjoint spans. */
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

/** Returns the moments in both lists of spans. */
export function intersection(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others
      .map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }))
      .filter(({ from, to }) => from < to),
  );
}

/** The value before anything is written. */
export const NOTHING_YET = 'not there yet';
/** The last value: nothing can follow it. */
export const REMOVED = 'removed';

/** A register's value. Each value is written by only one write, so that it identifies the write. */
export type Value = string | number;

interface Version {
  readonly since: number;
  /** How many requests may have written it. */
  requests: number;
  /** When a client first learned that it had been written. */
  heard: number;
  /** When the last request was sent that wrote the value or whose response showed it. */
  lastAsked: number;
}

/**
 * The possible values of a changing thing over time, as far as its clients can know. A value that was shown before
 * another value was requested or read again precedes that value. This alone orders the writes, and is all there is to
 * check for a linearizable register with unique values (Gibbons and Korach, Testing Shared Memories, 1997).
 */
function createRegister() {
  const versions = new Map<Value, Version>([
    [NOTHING_YET, { since: -Infinity, requests: 1, heard: -Infinity, lastAsked: -Infinity }],
  ]);

  /** Records that the value had been written by then, and perhaps others after it. */
  const written = (value: Value, by: number): void => {
    const version = versions.get(value);
    if (version !== undefined) version.heard = Math.min(version.heard, by);
  };
  /** Returns when a client first learned of a value that follows this one. */
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
    /** A client requests that the value be written, for the first time or again. */
    asked: (value: Value, at: number): void => {
      const version = versions.get(value);
      if (version === undefined) {
        versions.set(value, { since: at, requests: 1, heard: Infinity, lastAsked: at });
      } else {
        version.requests += 1;
      }
    },
    /** One request to write the value had no effect. */
    refused: (value: Value): void => {
      const version = versions.get(value);
      if (version === undefined) return;
      version.requests -= 1;
      if (version.requests === 0) versions.delete(value);
    },
    written,
    /** The register had the value at some moment in the span. */
    shown: (value: Value, { from, to }: Span): void => {
      written(value, to);
      const version = versions.get(value);
      if (version !== undefined) version.lastAsked = Math.max(version.lastAsked, from);
    },
    has: (value: Value) => versions.has(value),
    /** Returns the time by which something had certainly been written. */
    existsBy: () =>
      Math.min(
        ...[...versions].map(([value, { heard }]) => (value === NOTHING_YET ? Infinity : heard)),
      ),
    /** Returns when the register may have had one of these values. */
    when: (isOne: (value: Value) => boolean) =>
      union(
        spans().flatMap(([value, span]) => (isOne(value) && span.from < span.to ? [span] : [])),
      ),
    /** Returns all values and their spans, in words. */
    toString: () =>
      spans()
        .map(([value, { from, to }]) => `${value} from ${from} to ${to}`)
        .join(', '),
  };
}

type Register = ReturnType<typeof createRegister>;

/** An animal that clients have seen: one register for each group of fields that are always written together. */
export interface Row {
  readonly id: number;
  /** Also tracks whether the animal exists. */
  readonly name: Register;
  readonly categoryId: Register;
}

export const FIELDS = ['name', 'categoryId'] as const;

/**
 * @param isLearned whether a create that was shown under an id keeps that id; otherwise, the create may be lost and be
 * repeated under a different id
 */
export function createRows(isLearned: boolean) {
  const rows = new Map<number, Row>();
  /** The values that creates write, and since when. A value's id is known when it is first shown. */
  const created = new Map<Value, { readonly since: number; id?: number }>();

  const open = (id: number): Row => {
    const row = rows.get(id) ?? { id, name: createRegister(), categoryId: createRegister() };
    rows.set(id, row);
    return row;
  };
  /** Returns the row for a shown animal; its registers lack values that no client has sent for it. */
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
    /** Returns all rows, ordered by id. */
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
    /** The animal was as shown at some moment in the span. */
    shown: (animal: Animal, span: Span): void => {
      each(of(animal), animal, (register, value) => register.shown(value, span));
    },
  };
}
