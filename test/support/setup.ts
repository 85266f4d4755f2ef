import { installRecorder, loggedRequest } from '@store-gateway/ops';
// Loaded before the service needs it, so that an operation is compiled right after its second use.
import 'graphql-jit';
import { afterAll, expect } from 'vitest';
import { cleanUpAfterFile } from './clean-up.ts';

/** The calls in tests' requests that Prisma's engine answers, by why statements cannot. Nothing may be added. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'it counts rows, for totals': [
    'Author.count',
    'Book.count',
    'Folder.count',
    'Loan.count',
    'Note.count',
    'Pet.count',
    'Tag.count',
    'Topic.count',
  ],
  'it searches texts, or no index has the order': [
    'Book.findMany',
    'Loan.findMany',
    'Note.findMany',
    'Pet.findMany',
    'Tag.findMany',
    'Topic.findMany',
  ],
  'it changes nothing, is part of a transaction, or names its row by another column': [
    'Book.update',
    'Folder.delete',
    'Folder.update',
    'Note.findUnique',
    'Note.update',
    'Pet.create',
    'Pet.delete',
    'Pet.update',
    'Topic.findUnique',
    'Topic.update',
  ],
  "a store's own resolver calls a method that statements don't answer": [
    'Book.findFirstOrThrow',
    'Folder.upsert',
    'Note.deleteMany',
    'Note.findFirst',
    'Note.groupBy',
    'Note.updateMany',
    'Pet.deleteMany',
    'Pet.updateMany',
  ],
};

/** Expects that Prisma's engine answers only known calls in requests of the file's tests. */
function expectKnownEngineCalls(): void {
  const known = new Set(Object.values(KNOWN).flat());
  const unknown = new Set<string>();
  installRecorder({
    add: (counter, _value, { model, operation, answered_by: by } = {}) => {
      if (counter === 'database_calls_total' && by === 'engine' && loggedRequest() !== undefined) {
        const call = `${model}.${operation}`;
        if (!known.has(call)) {
          unknown.add(call);
        }
      }
    },
    record: () => undefined,
    observe: () => undefined,
  });
  afterAll(() => {
    expect([...unknown].toSorted()).toEqual([]);
  });
}

await cleanUpAfterFile();
// Long property runs make random calls, which differ each time.
if (process.env['LONG_PROPERTIES'] === undefined) {
  expectKnownEngineCalls();
}
