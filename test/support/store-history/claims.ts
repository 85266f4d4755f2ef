import type { Claim } from './observations.ts';
import { NOTHING_YET, REMOVED, type Value } from './register.ts';
import { union } from './spans.ts';
import type { Animal, Status } from '../store-reads.ts';
import { FIELDS, type Row } from './rows.ts';

const isNone = (value: Value): boolean => value === NOTHING_YET || value === REMOVED;

/** The animal is as it is shown. */
export function isAsShown(row: Row, animal: Animal): Claim[] {
  return FIELDS.map((field) => ({
    row: row.id,
    words: () => `it shows ${animal[field]}; ${wordsOf(row)}`,
    when: () => row[field].when((value) => value === animal[field]),
  }));
}

/** It is none of a list of animals, which have a status, if any. */
export function isNotListed(row: Row, status: Status | undefined): Claim {
  return {
    row: row.id,
    words: () => `it misses ${wordsOf(row)}`,
    when: () =>
      row.name.when(
        (name) => isNone(name) || (status !== undefined && !String(name).startsWith(`${status} `)),
      ),
  };
}

export function isGone(row: Row): Claim {
  return {
    row: row.id,
    words: () => `there is ${wordsOf(row)}`,
    when: () => row.name.when(isNone),
  };
}

export function isThere(row: Row): Claim {
  return {
    row: row.id,
    words: () => `there was none: ${wordsOf(row)}`,
    when: () => row.name.when((name) => !isNone(name)),
  };
}

/** It isn't there as it was shown before. */
export function isOtherThan(row: Row, animal: Animal): Claim {
  return {
    row: row.id,
    words: () => `it was as expected: ${wordsOf(row)}`,
    when: () =>
      union(FIELDS.flatMap((field) => row[field].when((value) => value !== animal[field]))),
  };
}

function wordsOf({ id, name, categoryId }: Row): string {
  return `${id}, which may have been [${name.toString()}] of [${categoryId.toString()}]`;
}
