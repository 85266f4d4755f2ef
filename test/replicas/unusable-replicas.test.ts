import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import {
  addAnimal,
  answeredBy,
  namesShownBy,
  readsAreAnsweredBy,
  startPrimaryAndReplica,
} from '../support/replicated-postgres.ts';

const { primary, replica } = await startPrimaryAndReplica();
const { replica: ofOther } = await startPrimaryAndReplica();

const inDatabase = await createDatabase(primary.url, { template: 'postgres' });
await primary.ask('CREATE ROLE plain LOGIN SUPERUSER');
await primary.ask('CREATE ROLE blind LOGIN');
await primary.ask('GRANT ALL ON ALL TABLES IN SCHEMA public TO blind');
await primary.ask('GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO blind');

/** Returns a server's URL, by default the replica's, with a change. */
const changed = (change: (url: URL) => void, server = replica) => {
  const url = new URL(server.url);
  change(url);
  return url.href;
};

const OTHERS = [
  {
    what: 'another database',
    url: changed((url) => (url.pathname = new URL(inDatabase).pathname)),
    reason:
      /it differs from the primary in its system, database, schema or role: \(\d+ test_\w+ public postgres\), not \(\d+ postgres public postgres\)/,
  },
  {
    what: 'another cluster',
    url: ofOther.url,
    reason:
      /it differs from the primary in its system, database, schema or role: \((\d+) postgres public postgres\), not \((?!\1 )/,
  },
  {
    what: 'another user',
    url: changed((url) => (url.username = 'plain')),
    reason: /public plain\)/,
  },
  { what: 'a primary', url: primary.url, reason: /it is not receiving anything from a primary/ },
  { what: 'none', url: changed((url) => (url.port = '5999')), reason: /ENOENT/ },
];

test('an unusable replica causes no read to fail, and the log says why it is excluded', async () => {
  const gateway = await startMeasuredGateway({
    databaseUrl: primary.url,
    replicaUrls: OTHERS.map(({ url }) => url),
  });
  await addAnimal(gateway, 'one');
  await Promise.all(
    OTHERS.map(({ reason }) =>
      gateway.log.line((line) => line.includes('replica excluded') && reason.test(line)),
    ),
  );
  expect(await answeredBy(gateway, () => namesShownBy(gateway))).toEqual({
    'primary unavailable': 1,
  });
  // Each reason is logged once. On a busy machine, a replica may time out meanwhile, which is logged, and then its own
  // reason again.
  const reasons = Array.from(
    gateway.log.text().matchAll(/"replica":"[^"]*","reason":"[^"]*"/g),
    String,
  );
  const passing = reasons.filter((text) => !OTHERS.some(({ reason }) => reason.test(text)));
  expect(reasons.length).toBeGreaterThanOrEqual(OTHERS.length + passing.length);
  expect(reasons.length).toBeLessThanOrEqual(OTHERS.length + 2 * passing.length);
});

test('each reason for excluding a replica is logged', async () => {
  const gateway = await startMeasuredGateway({
    databaseUrl: primary.url,
    replicaUrls: [changed((url) => (url.pathname = '/later'))],
  });
  const missing = await gateway.log.line((line) => line.includes('does not exist'));
  await primary.ask('CREATE DATABASE later');
  const another = await gateway.log.line((line) => /\(\d+ later public postgres\), not/.test(line));
  for (const line of [missing, another]) {
    expect(line).toContain('replica excluded');
  }
});

test('the log names the GRANT that a role needs to read from a replica, which is used after the GRANT', async () => {
  const gateway = await startMeasuredGateway({
    databaseUrl: changed((url) => (url.username = 'blind'), primary),
    replicaUrls: [changed((url) => (url.username = 'blind'))],
  });
  await gateway.log.line((line) => line.includes('GRANT pg_read_all_stats'));
  await primary.ask('GRANT pg_read_all_stats TO blind');
  await readsAreAnsweredBy(gateway, 'replica none');
  expect(await namesShownBy(gateway)).toEqual(['one']);
});
