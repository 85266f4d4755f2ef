import { once } from 'node:events';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectionOptions } from '../src/connection-options.ts';
import { createSlots, PooledClient } from '../src/pooled-client.ts';
import { CERTIFICATE, startTlsProxy } from '../../../test/support/database-proxy.ts';

const plainUrl = inject('postgresUrl');
const { username, password, pathname } = new URL(plainUrl);
const port = await startTlsProxy(plainUrl);
const tlsUrl = `postgresql://${username}:${password}@localhost:${port}${pathname}?sslrootcert=${CERTIFICATE}`;

const SLEEP = "DO $$ BEGIN RAISE WARNING 'begun'; PERFORM pg_sleep(1000); END $$";

/** Opens a connection. `reaped` lists the backends that are handed over to the reaper. */
async function open(url: string) {
  const reaped: (number | null)[] = [];
  const reap = ({ processID }: { readonly processID: number | null }) => {
    reaped.push(processID);
    return () => undefined;
  };
  const client = new PooledClient(connectionOptions(url)[0] ?? {}, {
    slots: createSlots(1),
    reaper: { reap },
    refused: [],
  });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return { client, reaped };
}

test.each([
  ['a Unix socket', plainUrl],
  ['TLS', tlsUrl],
])(
  'an abandoned statement in a session over %s is cancelled over the same transport',
  async (_, url) => {
    const { client } = await open(url);
    const begun = once(client, 'notice');
    const slept = client.query(SLEEP).catch((error: unknown) => error);
    await begun;
    await client.end();
    expect(await slept).toMatchObject({ message: 'canceling statement due to user request' });
  },
);

test.each([
  ['a Unix socket', plainUrl],
  ['TLS', tlsUrl],
])(
  'no backend is handed over to the reaper after the server has closed a connection over %s',
  async (_, url) => {
    const { client, reaped } = await open(url);
    await client.end();
    expect(reaped).toEqual([]);
  },
);

test('when a connection is lost because of the network, its backend is handed over to the reaper', async () => {
  const { client, reaped } = await open(plainUrl);
  const { stream } = client.connection;
  stream.destroy(Object.assign(new Error('read EHOSTUNREACH'), { code: 'EHOSTUNREACH' }));
  await expect.poll(() => reaped).toEqual([client.processID]);
});
