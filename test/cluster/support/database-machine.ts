import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { configuration, environment, type Addresses, type MachineName } from './configuration.ts';
import type { Machine } from './network.ts';
import { asPostgres, startProgram, type Program } from './program.ts';

/** A machine with etcd, Patroni and PostgreSQL. */
export interface DatabaseMachine extends Machine {
  readonly name: MachineName;
  /** Patroni's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns the current Patroni process, which `startPatroni` replaces. */
  readonly patroni: () => Program;
  readonly startPatroni: () => Promise<void>;
  /** Kills PostgreSQL's main process, so that all its other processes end. */
  readonly killPostgres: () => Promise<void>;
  /** Whether a client on this machine can commit something in its PostgreSQL within 2 s. */
  readonly commits: () => Promise<boolean>;
}

interface DatabaseMachineOptions {
  readonly name: MachineName;
  readonly machine: Machine;
  readonly addresses: Addresses;
  readonly directory: string;
  /** Replacements for texts in patroni.yml. */
  readonly changes: Readonly<Record<string, string>>;
}

const execute = promisify(execFile);

/** Starts a machine's etcd and Patroni. */
export async function startDatabaseMachine({
  name,
  machine,
  addresses,
  directory,
  changes,
}: DatabaseMachineOptions): Promise<DatabaseMachine> {
  const home = join(directory, name);
  await mkdir(home);
  await execute('chown', ['postgres:postgres', home]);
  const file = join(home, 'patroni.yml');
  await writeFile(
    file,
    await configuration('patroni.yml', addresses, {
      '/var/lib/postgresql': home,
      '/var/run/postgresql': home,
      // The watchdog device would be that of the host.
      'mode: automatic': 'mode: off',
      ...changes,
    }),
  );
  await startProgram(machine, {
    command: ['etcd', '--data-dir', join(home, 'etcd')],
    env: await environment('etcd.env', name, addresses),
    log: join(directory, `etcd-${name}.log`),
  });
  const env = await environment('patroni.env', name, addresses);
  const log = join(directory, `patroni-${name}.log`);
  const start = async () => startProgram(machine, { command: ['patroni', file], env, log });
  let patroni = await start();
  return {
    ...machine,
    name,
    env,
    patroni: () => patroni,
    startPatroni: async () => {
      patroni = await start();
    },
    killPostgres: async () => {
      const pidFile = join(home, '15', 'animal-store', 'postmaster.pid');
      const [pid = ''] = (await readFile(pidFile, 'utf8')).split('\n');
      const [program, ...args] = machine.enter(['kill', '-KILL', pid]);
      await execute(program, args);
    },
    commits: async () => {
      const psql = ['psql', '--host', home, '--command', 'CREATE TABLE committed_alone ()'];
      const [program, ...args] = machine.enter(['timeout', '2', ...asPostgres(psql)]);
      return execute(program, args, { cwd: '/' }).then(
        () => true,
        () => false,
      );
    },
  };
}

/** Milliseconds for Patroni or PostgreSQL to respond. */
const ANSWER_TIMEOUT = 3000;

/** A role, as the path of Patroni's REST API that returns 200 on a machine with this role. */
type Role = 'primary' | 'synchronous' | 'replica';

/** Whether a machine's Patroni reports that its PostgreSQL has a role. */
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

/** Asks the primary's Patroni for a switchover to any eligible standby. */
export async function switchOver({ name, address, env }: DatabaseMachine): Promise<void> {
  const { PATRONI_RESTAPI_USERNAME: user, PATRONI_RESTAPI_PASSWORD: password } = env;
  const answer = await fetch(`http://${address}:8008/switchover`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}` },
    body: JSON.stringify({ leader: name }),
  });
  const text = await answer.text();
  if (answer.status !== 200) {
    throw new Error(`the switchover failed: ${answer.status} ${text}`);
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
