import { expect, test } from 'vitest';
import { createProgress } from '../../scripts/progress.ts';
import { type ReportedFile, summaryOf } from '../support/folder-reporter.ts';

const inSuite = { type: 'suite', name: 'GET /animals', parent: { type: 'module' } } as const;

function file(
  path: string,
  states: Readonly<Record<string, string>>,
  state = Object.values(states).includes('failed') ? 'failed' : 'passed',
): ReportedFile {
  const tests = Object.entries(states).map(([name, result]) => ({
    name,
    parent: inSuite,
    state: result,
    // As Vitest's own, it needs its object.
    result() {
      return { state: this.state };
    },
  }));
  return {
    relativeModuleId: path,
    project: { name: 'quick' },
    diagnostic: () => ({ duration: 1250 }),
    state: () => state,
    children: { allTests: () => tests },
  };
}

test('a green run gets a line for each folder', () => {
  expect(
    summaryOf([
      file('test/rest/paging.test.ts', { first: 'passed', last: 'passed' }),
      file('packages/pg-statements/test/writes/insert.test.ts', { inserts: 'passed' }),
      file('test/rest/body.test.ts', { reads: 'passed', 'on Windows': 'skipped' }),
    ]),
  ).toEqual([
    'packages/pg-statements     1 tests     1.3 s',
    'test/rest                  4 tests     2.5 s  1 skipped',
  ]);
});

test('a failure gets the command that runs it alone', () => {
  const failing = { "isn't (yet) sorted": 'failed', first: 'passed' };
  expect(
    summaryOf([
      file('test/rest/paging.test.ts', failing),
      // It failed while it was loaded.
      file('test/rest/body.test.ts', {}, 'failed'),
    ]),
  ).toEqual([
    'test/rest     2 tests     2.5 s  1 failed',
    String.raw`npx vitest run --project quick test/rest/paging.test.ts -t '^GET /animals isn'\''t \(yet\) sorted$'`,
    'npx vitest run --project quick test/rest/body.test.ts',
  ]);
});

test('progress is shown in place on a terminal, and as a few lines elsewhere', () => {
  for (const isTTY of [true, false]) {
    const pieces: string[] = [];
    const progress = createProgress('files', { isTTY, write: (text) => pieces.push(text) });
    progress.expect(100);
    for (let count = 0; count < 100; count += 1) progress.done();
    expect(pieces.join('').split('\n')).toHaveLength(isTTY ? 1 : 6);
    expect(pieces.at(-1)).toMatch(/100 of 100 files; 0 s left/);
  }
});
