import type { Animal } from '../store-reads.ts';
import { createRegister, type Register, type Value } from './register.ts';
import type { Span } from './spans.ts';

/** What a request writes of an animal; no two requests write the same. A name begins with the status that goes with it. */
export interface Writes {
  readonly name?: string;
  readonly categoryId?: number;
}

/** An animal that clients have heard of: a register for each of what is always written together. */
export interface Row {
  readonly id: number;
  /** Also of whether the animal is there. */
  readonly name: Register;
  readonly categoryId: Register;
}

export interface Rows {
  readonly asked: (writes: Writes, id: number | undefined, at: number) => void;
  readonly refused: (writes: Writes, id: number) => void;
  readonly written: (animal: Animal, writes: Writes, by: number) => void;
  /** At one moment of the span the animal was as it was shown. */
  readonly shown: (animal: Animal, span: Span) => void;
  /** The animal that was shown; its registers don't have what nobody has sent for it. */
  readonly of: (animal: Animal) => Row;
  readonly open: (id: number) => Row;
  /** In the order of their ids. */
  readonly all: () => readonly Row[];
}

export const FIELDS = ['name', 'categoryId'] as const;

/**
 * @param isLearned whether a create that was shown under an id has that one from then on; else it may be lost, and be made
 *   again under another one
 */
export function createRows(isLearned: boolean): Rows {
  const rows = new Map<number, Row>();
  /** What creates write, and since when. Whose it is turns out when it is first shown. */
  const created = new Map<Value, { readonly since: number; id?: number }>();

  const open = (id: number): Row => {
    const row = rows.get(id) ?? { id, name: createRegister(), categoryId: createRegister() };
    rows.set(id, row);
    return row;
  };
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
  const registersOf = (row: Row, writes: Writes) =>
    FIELDS.flatMap((field) => {
      const value = writes[field];
      return value === undefined ? [] : [{ register: row[field], value }];
    });

  return {
    of,
    open,
    all: () => [...rows.values()].toSorted((one, other) => one.id - other.id),
    asked: (writes, id, at) => {
      if (id !== undefined) {
        registersOf(open(id), writes).forEach(({ register, value }) => register.asked(value, at));
        return;
      }
      for (const value of [writes.name, writes.categoryId]) {
        if (value !== undefined && !created.has(value)) created.set(value, { since: at });
      }
    },
    refused: (writes, id) => {
      registersOf(open(id), writes).forEach(({ register, value }) => register.refused(value));
    },
    written: (animal, writes, by) => {
      registersOf(of(animal), writes).forEach(({ register, value }) => register.written(value, by));
    },
    shown: (animal, span) => {
      registersOf(of(animal), animal).forEach(({ register, value }) => register.shown(value, span));
    },
  };
}
