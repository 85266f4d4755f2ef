import { expect, inject, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { startGateway } from '../support/gateway.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const proxy = await startDatabaseProxy(databaseUrl);
const { request } = await startGateway({ databaseUrl: proxy.url });
const log = captureLog();

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly requestId?: string;
  readonly errorLoggedUnder?: string;
  readonly repeated?: number;
  readonly err?: { readonly message: string };
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the expectations check what is read of it
    .map((line) => JSON.parse(line) as Line);

test('while the database is away, errors of one kind are at most a line a second, to which each request leads', async () => {
  expect((await request('/v1/pets')).status).toBe(200);
  await proxy[Symbol.asyncDispose]();
  const ids = Array.from({ length: 200 }, (_, index) => `away-${index}`);
  const statuses: number[] = [];
  for (const id of ids) {
    // Each has an id of its own, so that none shares another's response.
    const path = `/v1/pets?id=${statuses.length + 1}`;
    statuses.push((await request(path, { headers: { 'X-Request-Id': id } })).status);
  }
  expect(new Set(statuses)).toEqual(new Set([503]));
  await log.line((line) => line.includes('"repeated"'));

  const lines = linesOf(log.text());
  const errors = lines.filter(({ level, msg }) => level === 50 && msg === 'SERVICE_UNAVAILABLE');
  for (const [kind, ofKind = []] of Object.entries(
    Object.groupBy(errors, ({ err }) => err?.message ?? ''),
  )) {
    const gaps = ofKind.slice(1).map(({ time }, index) => time - (ofKind[index]?.time ?? 0));
    // The clock of the log's times and that of timers aren't the same.
    expect([kind, gaps.filter((gap) => gap < 900)]).toEqual([kind, []]);
  }
  const known = new Set(errors.map(({ requestId }) => requestId));
  const ended = lines.filter(
    ({ msg, requestId }) => msg === 'request' && requestId?.startsWith('away-') === true,
  );
  expect(ended).toHaveLength(200);
  expect(
    ended
      .map(({ requestId, errorLoggedUnder }) => errorLoggedUnder ?? requestId)
      .filter((id) => !known.has(id)),
  ).toEqual([]);
});
