import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  ALL_SCOPES,
  allScopesBut,
  scopeError,
  startGuardedLibrary,
} from '../support/guarded-library.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { HIDDEN_ROW } from '../visible-rows/ways.ts';
import { SCOPE_RULES } from './matrix/scope-rules.ts';
import {
  answersOn,
  cellsOf,
  comesAfterAllowed,
  requestOn,
  WAYS,
  type Column,
  type Way,
} from './matrix/ways.ts';

const { send, database } = await startGuardedLibrary();
await database.author.create({ data: { name: 'James Joyce' } });
for (const isbn of ['1', '2', '3', '4', '5', '6']) {
  await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
}
await database.loan.create({ data: { borrower: 'Nora', due: new Date(0), bookId: 1n } });

const SECRETS = /Ulysses|Nora|Exiles/;

const cells = SCOPE_RULES.flatMap((rule) =>
  cellsOf(rule).map((cell) => Object.assign(cell, { rule })),
);

/** The expected error, either for the whole request or in place of a field. */
function refusalOf({ rule: { scope }, surface, outcome }: (typeof cells)[number]) {
  const error = scopeError(scope);
  if (surface === 'REST') {
    return { json: { code: 'FORBIDDEN', message: error.message, status: 403 }, path: undefined };
  }
  return outcome === '403'
    ? { json: { errors: [error] }, path: undefined }
    : { json: undefined, path: ANYWHERE };
}

const ANYWHERE: unknown = expect.anything();

test.each(cells)(
  'a caller without the scope is rejected: $rule.name, $surface, $way',
  async (cell) => {
    const { way, rule, probe } = cell;
    const [sentTo, init] = await requestOn(database, way, probe);
    const having = () => send(ALL_SCOPES, sentTo, init);
    const before = comesAfterAllowed(way) ? [await having(), await having(), await having()] : [];
    const [refused, allowed] = await answersOn(
      way,
      () => send(allScopesBut(rule.scope), sentTo, init),
      having,
    );
    for (const { status, text } of [...before, ...allowed]) {
      expect([text, text.includes('"errors"')]).toEqual([text, false]);
      expect([200, 201, 204]).toContain(status);
    }
    const { json, path } = refusalOf(cell);
    const challenge = `Bearer error="insufficient_scope", scope="${rule.scope}"`;
    for (const answer of refused) {
      expect(answer.text).not.toMatch(SECRETS);
      const challenged = [answer.status, answer.headers.get('WWW-Authenticate')];
      expect(challenged).toEqual(json === undefined ? [200, null] : [403, challenge]);
      const [error] = objectsIn(memberAt(answer.json, 'errors'));
      expect(json === undefined ? error : answer.json).toMatchObject(
        json ?? { ...scopeError(rule.scope), path },
      );
    }
  },
);

test('each scope rule is tested in both APIs, and each way with at least one rule', () => {
  const ofSurface = (surface: string) => cells.filter((cell) => cell.surface === surface);
  for (const surface of ['GraphQL', 'REST']) {
    const tried = new Set(ofSurface(surface).map(({ rule }) => rule));
    expect([surface, tried.size]).toEqual([surface, SCOPE_RULES.length]);
  }
  expect(new Set(cells.map(({ way }) => way))).toEqual(new Set(WAYS));
});

function cellOf({ graphql, rest }: Column, way: Way): string {
  const [ofGraphQL, ofRest] = [graphql[way]?.outcome, rest[way]?.outcome];
  return ofGraphQL === ofRest ? (ofRest ?? '') : `${ofGraphQL ?? '–'} / ${ofRest ?? '–'}`;
}

/** The matrix as Markdown, with each rule's outcome on each way in GraphQL and REST. */
function tableOf(columns: readonly Column[]): string {
  const head = ['Path', ...columns.map(({ name }) => name)];
  const rows = WAYS.map((way) => [way as string].concat(columns.map((each) => cellOf(each, way))));
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cellsOfRow: readonly string[]) =>
    `| ${cellsOfRow.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

test('SECURITY.md contains the matrix of scope rules and ways', async () => {
  const text = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  expect(text).toContain(tableOf([...SCOPE_RULES, HIDDEN_ROW]));
});
