import { boolean, constantFrom, record, type Arbitrary } from 'fast-check';
import { rulesOf, type Rule } from './rules.ts';
import type { Model } from './tables.ts';

/** A schema over the tables: who sees what, and which fields there are. */
export interface Design {
  readonly rules: Readonly<Record<Model, Rule | null>>;
  /** What lists can be filtered by. */
  readonly folderFilters: 'none' | 'parentId' | 'team';
  readonly noteFilters: 'none' | 'folderId' | 'folderIds' | 'ownerId';
  /** Orders, ranges and prefixes; searches; counts; sets of ids. */
  readonly isOrdered: boolean;
  readonly isSearched: boolean;
  readonly isCounted: boolean;
  readonly byIds: boolean;
  /** Whether a field that reads one row may share its execution. */
  readonly sharedGets: boolean;
  readonly toOne: boolean;
  readonly toMany: boolean;
  /** Resolvers of the store's own, with calls of Prisma's that no list makes. */
  readonly own: boolean;
}

export const designs: Arbitrary<Design> = record({
  rules: record({
    Topic: rulesOf(['team']),
    Folder: rulesOf(['ownerId', 'team']),
    Note: rulesOf(['ownerId', 'team']),
    Tag: rulesOf(['ownerId']),
  }),
  folderFilters: constantFrom('none', 'parentId', 'team'),
  noteFilters: constantFrom('none', 'folderId', 'folderIds', 'ownerId'),
  isOrdered: constantFrom(true, true, false),
  isSearched: boolean(),
  isCounted: boolean(),
  byIds: boolean(),
  sharedGets: boolean(),
  toOne: constantFrom(true, true, false),
  toMany: constantFrom(true, true, false),
  own: constantFrom(true, true, false),
});

/** Hidden notes keep their topic from being removed, which packages/data/README.md says it can't hide. */
export function removesTopics({ rules }: Design): boolean {
  return rules.Note === null;
}
