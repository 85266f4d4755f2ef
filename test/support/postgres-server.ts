import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Account } from '../../packages/local/src/embedded/account.ts';

export type PostgresServer = ReturnType<typeof postgresServer>;

interface ServerOptions {
  /** The path of the `postgres` program. */
  readonly postgres: string;
  readonly directory: string;
  readonly socketDirectory: string;
  /** Part of its socket's name. */
  readonly port: number;
  readonly account: Account | undefined;
}

/** Long enough to connect on a busy machine. */
const PATIENCE_MS = 20_000;

/** Creates a test's own PostgreSQL, on a Unix socket. */
export function postgresServer(options: ServerOptions) {
  const { postgres, directory, socketDirectory, port, account } = options;
  const host = encodeURIComponent(socketDirectory);
  const url = `postgresql://postgres@localhost:${port}/postgres?host=${host}&sslmode=disable`;
  let child: ChildProcess | undefined;

  /** Runs a statement on a new connection; returns the first column of the first row. */
  const ask = async (text: string, database = 'postgres'): Promise<unknown> => {
    const { href } = Object.assign(new URL(url), { pathname: database });
    const client = new Client({ connectionString: href, connectionTimeoutMillis: PATIENCE_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
      return rows[0]?.[0];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    url,
    /** PostgreSQL's data folder. */
    directory,
    ask,
    processId: (): number | undefined => child?.pid,
    /** Adds to its configuration, for the next start. */
    configure: async (settings: Readonly<Record<string, string>>): Promise<void> => {
      const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
      await appendFile(join(directory, 'postgresql.conf'), lines.join(''));
    },
    /** Starts the server; resolves when it answers. */
    start: async (): Promise<void> => {
      const settings = [`unix_socket_directories=${socketDirectory}`, `port=${port}`];
      const parameters = ['-D', directory, ...settings.flatMap((setting) => ['-c', setting])];
      child = spawn(postgres, parameters, {
        ...account,
        cwd: '/',
        env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
        stdio: 'ignore',
      });
      for (;;) {
        if (child.exitCode !== null) throw new Error(`PostgreSQL in ${directory} has ended`);
        try {
          await ask('SELECT 1');
          return;
        } catch {
          await setTimeout(20);
        }
      }
    },
    /** SIGINT, the default, causes a fast shutdown. */
    stop: async (signal: NodeJS.Signals = 'SIGINT'): Promise<void> => {
      if (child?.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
