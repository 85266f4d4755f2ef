import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { ALL_SCOPES, allScopesBut, startGuardedLibrary } from '../support/guarded-library.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { requestOn, restRequestOn, trustDocument } from './matrix/requests.ts';
import { WAYS, type Way } from './matrix/rule.ts';
import { COLUMNS, RULES } from './matrix/rules.ts';
import { tableOf } from './matrix/table.ts';

const { send, database } = await startGuardedLibrary();
await database.author.create({ data: { name: 'James Joyce' } });
for (const isbn of ['1', '2', '3', '4', '5', '6']) {
  await database.book.create({ data: { title: 'Ulysses', isbn, authorId: 1n } });
}
await database.loan.create({ data: { borrower: 'Nora', due: new Date(0), bookId: 1n } });

type Send = (scopes: readonly string[]) => Promise<Answer>;

/** The answers to who lacks a scope, and to who doesn't, in the order of the way. */
async function answersOn(way: Way, attempt: Send, scope: string): Promise<[Answer[], Answer[]]> {
  const [lacking, having] = [() => attempt(allScopesBut(scope)), () => attempt(ALL_SCOPES)];
  if (way === 'coalesced with an allowed one') {
    const both = await Promise.all(
      Array.from({ length: 8 }, () => Promise.all([having(), lacking()])),
    );
    return [both.map(([, refused]) => refused), both.map(([allowed]) => allowed)];
  }
  if (way === 'compiled, after an allowed one' || way === 'replay of what was allowed') {
    const allowed = [await having(), await having(), await having()];
    return [[await lacking(), await lacking()], allowed];
  }
  const refused = await lacking();
  return [[refused], [await having()]];
}

const errorOf = (scope: string) => ({
  message: `This request needs the scope ${scope}`,
  extensions: { code: 'FORBIDDEN', status: 403, scopes: [scope] },
});

const SECRETS = /Ulysses|Nora|Exiles/;

const cells = RULES.flatMap((rule) =>
  WAYS.flatMap((way) => {
    const [graphql, rest] = [rule.graphql[way], rule.rest[way]];
    return [
      ...(graphql ? [{ surface: 'GraphQL', way, rule, graphql }] : []),
      ...(rest ? [{ surface: 'REST', way, rule, rest }] : []),
    ];
  }),
);

/** How a refusal looks: as a whole, or in the place of a field. */
function refusalOf({ rule: { scope }, ...cell }: (typeof cells)[number]) {
  const error = errorOf(scope);
  if ('rest' in cell) {
    return { json: { code: 'FORBIDDEN', message: error.message, status: 403 }, path: undefined };
  }
  return cell.graphql.outcome === '403'
    ? { json: { errors: [error] }, path: undefined }
    : { json: undefined, path: ANYWHERE };
}

async function attemptOf(cell: (typeof cells)[number]): Promise<Send> {
  if ('graphql' in cell) {
    await trustDocument(database, cell.graphql.query);
  }
  const [path, init] =
    'graphql' in cell ? requestOn(cell.way, cell.graphql) : restRequestOn(cell.way, cell.rest);
  return (scopes) => send(scopes, path, init);
}

const ANYWHERE: unknown = expect.anything();

test.each(cells)('$rule.name, $surface, $way', async (cell) => {
  const { way, rule } = cell;
  const attempt = await attemptOf(cell);
  const [refused, allowed] = await answersOn(way, attempt, rule.scope);
  for (const { status, text } of allowed) {
    expect([text, text.includes('"errors"')]).toEqual([text, false]);
    expect([200, 201, 204]).toContain(status);
  }
  const { json, path } = refusalOf(cell);
  const challenge = `Bearer error="insufficient_scope", scope="${rule.scope}"`;
  for (const answer of refused) {
    expect(answer.text).not.toMatch(SECRETS);
    const told = [answer.status, answer.headers.get('WWW-Authenticate')];
    expect(told).toEqual(json === undefined ? [200, null] : [403, challenge]);
    const [error] = objectsIn(memberAt(answer.json, 'errors'));
    expect(json === undefined ? error : answer.json).toMatchObject(
      json ?? { ...errorOf(rule.scope), path },
    );
  }
});

test('each rule is tried on both surfaces, and each way with a rule', () => {
  const ofSurface = (surface: string) => cells.filter((cell) => cell.surface === surface);
  for (const surface of ['GraphQL', 'REST']) {
    const tried = new Set(ofSurface(surface).map(({ rule }) => rule));
    expect([surface, tried.size]).toEqual([surface, RULES.length]);
  }
  expect(new Set(cells.map(({ way }) => way))).toEqual(new Set(WAYS));
});

test('SECURITY.md has the matrix', async () => {
  const text = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  expect(text).toContain(tableOf(COLUMNS));
});
