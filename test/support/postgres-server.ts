import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Account } from '../../packages/local/src/embedded/account.ts';

/** A PostgreSQL of a test's own, on a Unix socket. */
export interface PostgresServer {
  readonly url: string;
  /** PostgreSQL's own folder. */
  readonly directory: string;
  readonly processId: () => number | undefined;
  /** Resolves once it answers. */
  readonly start: () => Promise<void>;
  /** SIGINT by default: a fast shutdown. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
  /** Runs a statement on a connection of its own; resolves to the first column of its first row. */
  readonly ask: (text: string, database?: string) => Promise<unknown>;
  /** Adds to its configuration, for the next start. */
  readonly configure: (settings: Readonly<Record<string, string>>) => Promise<void>;
}

export interface ServerOptions {
  /** The program. */
  readonly postgres: string;
  readonly directory: string;
  readonly socketDirectory: string;
  /** In the name of its socket. */
  readonly port: number;
  readonly account: Account | undefined;
}

/** For a connection to be made, on a machine on which much else runs. */
const PATIENCE_MS = 20_000;

export function postgresServer(options: ServerOptions): PostgresServer {
  const { postgres, directory, socketDirectory, port, account } = options;
  const host = encodeURIComponent(socketDirectory);
  const url = `postgresql://postgres@localhost:${port}/postgres?host=${host}&sslmode=disable`;
  let child: ChildProcess | undefined;

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
    directory,
    ask,
    processId: () => child?.pid,
    configure: async (settings) => {
      const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
      await appendFile(join(directory, 'postgresql.conf'), lines.join(''));
    },
    start: async () => {
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
    stop: async (signal = 'SIGINT') => {
      if (child?.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
