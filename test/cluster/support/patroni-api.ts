import { Client } from 'pg';
import type { DatabaseMachine } from './database-machine.ts';

/** Milliseconds for Patroni or PostgreSQL to answer. */
const ANSWER_TIMEOUT = 3000;

/** What a machine's Patroni is asked for, as a path of its REST API that answers 200. */
type Role = 'primary' | 'synchronous' | 'replica';

/** Whether a machine's Patroni says that its PostgreSQL has that role. */
export async function hasRole(
  role: Role,
  { address }: Pick<DatabaseMachine, 'address'>,
): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT);
  return fetch(`http://${address}:8008/${role}`, { method: 'OPTIONS', signal }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Asks the primary's Patroni to hand over to any standby that may take over. */
export async function switchOver({ name, address, env }: DatabaseMachine): Promise<void> {
  const { PATRONI_RESTAPI_USERNAME: user, PATRONI_RESTAPI_PASSWORD: password } = env;
  const answer = await fetch(`http://${address}:8008/switchover`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}` },
    body: JSON.stringify({ leader: name }),
  });
  const text = await answer.text();
  if (answer.status !== 200) {
    throw new Error(`no switchover: ${answer.status} ${text}`);
  }
}

/** Runs a statement as the superuser of a machine's PostgreSQL. */
export async function query<Row extends object>(
  { address, env }: Pick<DatabaseMachine, 'address' | 'env'>,
  text: string,
  database = 'postgres',
): Promise<Row[]> {
  const client = new Client({
    host: address,
    user: 'postgres',
    password: env['PATRONI_SUPERUSER_PASSWORD'],
    database,
    connectionTimeoutMillis: ANSWER_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
