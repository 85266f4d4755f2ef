import { execFile } from 'node:child_process';
import { appendFile, chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountFor } from '../../../packages/local/src/embedded/account.ts';
import { expect } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { freePort, HOST } from '../../system/support/haproxy.ts';
import { PROGRAMS, requireCitus } from './programs.ts';

/** The three nodes of deploy/citus, with different addresses. */
export interface DeployedCluster extends AsyncDisposable {
  /** The URL with which the gateway connects to the store. */
  readonly url: string;
  /** Sets up a node for an additional machine of the example. */
  readonly prepare: (machine: string) => Promise<void>;
  /** Runs statements as postgres on the coordinator, with this cluster's addresses. */
  readonly operate: (statements: string) => Promise<void>;
}

const FOLDER = new URL('../../../deploy/citus/', import.meta.url);
/** The addresses of the example's machines, the coordinator first. */
const MACHINES = ['10.0.0.21', '10.0.0.22', '10.0.0.23'];

const read = (file: string) => readFile(new URL(file, FOLDER), 'utf8');

/** Returns the SQL blocks of deploy/citus/README.md. */
export async function documentedStatements(): Promise<string[]> {
  const blocks = (await read('README.md')).matchAll(/```sql\n([^`]+)```/g);
  return Array.from(blocks, ([, statements = '']) => statements);
}

/** Starts the three nodes. @throws Error that says what to install */
export async function startDeployedCluster(): Promise<DeployedCluster> {
  await requireCitus();
  await using started = new AsyncDisposableStack();
  const { path } = started.use(await temporaryDirectory());
  const account = await accountFor(join(path, 'none'));
  const give = (file: string) => account && chown(file, account.uid, account.gid);
  await give(path);
  const passwords = join(path, 'pgpass');
  await writeFile(passwords, await read('pgpass'), { mode: 0o600 });
  await give(passwords);
  const run = (program: string, ...args: readonly string[]) =>
    promisify(execFile)(join(PROGRAMS, program), args, {
      ...account,
      cwd: '/',
      env: { PGPASSFILE: passwords, LC_ALL: 'C' },
    });
  const psql = async (port: number, name: string, statements: string, ...args: string[]) => {
    const file = join(path, name);
    await writeFile(file, statements);
    const where = ['-h', path, '-p', String(port), '-v', 'ON_ERROR_STOP=1'];
    await run('psql', '-qX', ...where, '-f', file, ...args);
  };

  const ports = new Map<string, number>();
  const stop = (machine: string) =>
    run('pg_ctl', '-D', join(path, machine), '-m', 'immediate', 'stop');
  started.defer(async () => {
    await Promise.all([...ports.keys()].map(stop));
  });
  const prepare = async (machine: string) => {
    const node = join(path, machine);
    const port = await freePort();
    await run('initdb', '-D', node, '--auth-local=peer', '--auth-host=scram-sha-256', '--no-sync');
    await appendFile(join(node, 'postgresql.conf'), await read('postgresql.conf'));
    await writeFile(join(node, 'pg_hba.conf'), await read('pg_hba.conf'));
    const options = `-c listen_addresses=${HOST},localhost -p ${port} -k ${path} -F`;
    await run('pg_ctl', '-D', node, '-l', `${node}.log`, '-w', '-o', options, 'start');
    ports.set(machine, port);
    await psql(port, 'node.sql', await read('node.sql'));
  };
  for (const machine of MACHINES) {
    await prepare(machine);
  }
  const [coordinator] = ports.values();
  const operate = (statements: string) => {
    const addressed = [...ports].reduce(
      (text, [machine, port]) => text.replaceAll(`'${machine}', 5432`, `'${HOST}', ${port}`),
      statements,
    );
    expect(addressed).not.toContain('10.0.0.');
    return psql(coordinator ?? 0, 'operate.sql', addressed, 'animal_store');
  };
  await operate(await read('cluster.sql'));
  const running = started.move();
  return {
    url: `postgresql://animal_store:change-me-1@${HOST}:${coordinator}/animal_store?sslmode=no-verify`,
    prepare,
    operate,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
