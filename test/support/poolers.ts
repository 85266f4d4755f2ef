import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accountFor } from '../../packages/local/src/embedded/account.ts';
import { runProgram } from './process.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { freePort } from '../system/support/haproxy.ts';
import type { Socket } from 'node:net';
import { createMessageReader, startProxyServer, type ProxyServer } from './database-proxy.ts';

const CONFIGURATION = join(import.meta.dirname, '..', '..', 'deploy', 'pgbouncer.ini');

/** Starts PgBouncer with the configuration in deploy/pgbouncer.ini, except for these settings. */
export async function startPgBouncer(
  postgresUrl: string,
  settings: Readonly<Record<string, string>>,
) {
  const { username, password, port, searchParams } = new URL(postgresUrl);
  const deployed = await readFile(CONFIGURATION, 'utf8');
  return startPooler(
    process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer',
    ['pgbouncer.ini'],
    (directory, listening) => {
      const own = {
        listen_port: String(listening),
        unix_socket_dir: '',
        auth_file: `${directory}/userlist.txt`,
        ...settings,
      };
      const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}\n`);
      const database = `* = host=${searchParams.get('host')} port=${port}`;
      return {
        'userlist.txt': `"${username}" "${password}"\n`,
        // If a setting is repeated, the last one counts.
        'pgbouncer.ini': `${deployed.replace('[databases]', `[databases]\n${database}`)}\n${lines.join('')}`,
      };
    },
    'process up',
  );
}

/** Starts pgpool in front of one server, otherwise with its default configuration. */
export async function startPgpool(postgresUrl: string) {
  const { username, password, port, searchParams } = new URL(postgresUrl);
  return startPooler(
    process.env['PGPOOL'] ?? '/usr/sbin/pgpool',
    ['-n', '-f', 'pgpool.conf', '-F', 'pcp.conf'],
    (directory, listening) => ({
      'pcp.conf': '',
      pool_passwd: `${username}:TEXT${password}\n`,
      'pgpool.conf': `port = ${listening}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${directory}'
pcp_socket_dir = '${directory}'
backend_hostname0 = '${searchParams.get('host')}'
backend_port0 = ${port}
backend_flag0 = 'ALWAYS_PRIMARY'
sr_check_period = 0
allow_clear_text_frontend_auth = on
pid_file_name = '${directory}/pgpool.pid'
`,
    }),
    'successfully started',
  );
}

/** Starts a program in front of a PostgreSQL on a Unix socket, in a new folder, on a free port, and not as root. */
async function startPooler(
  program: string,
  args: readonly string[],
  filesOf: (directory: string, port: number) => Readonly<Record<string, string>>,
  started: string,
) {
  const directory = await temporaryDirectory();
  const account = await accountFor(join(directory.path, 'none'));
  const port = await freePort('127.0.0.1');
  for (const [name, text] of Object.entries(filesOf(directory.path, port))) {
    await writeFile(join(directory.path, name), text);
  }
  if (account !== undefined) {
    await chown(directory.path, account.uid, account.gid);
  }
  const { uid, gid } = account ?? {};
  const child =
    account === undefined
      ? runProgram(program, args, { root: directory.path })
      : runProgram(
          'setpriv',
          [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program, ...args],
          { root: directory.path },
        );
  await child.line('stderr', (line) => line.includes(started));
  return {
    /** Returns a database's URL through the pooler. */
    through: (databaseUrl: string): string => {
      const url = new URL(databaseUrl);
      url.searchParams.delete('host');
      url.hostname = '127.0.0.1';
      url.port = String(port);
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      // PgBouncer exits with the code 1 on SIGTERM.
      child.kill('SIGTERM');
      await child[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The code of a CancelRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const CANCEL_CODE = 80_877_102;

/** The pool gives its clients different process ids than PostgreSQL. */
const otherProcessId = (message: Buffer, offset: number): Buffer => {
  message.writeInt32BE(message.readInt32BE(offset) ^ 0x40_00_00_00, offset);
  return message;
};

/**
 * Starts a stand-in for the poolers that some providers put in front of PostgreSQL: sessions accept no parameters
 * except user, database and application name.
 *
 * @param code SQLSTATE of the rejection
 */
export function startProviderPool(databaseUrl: string, code: string): Promise<ProxyServer> {
  return startProxyServer(databaseUrl, (client: Socket, database: Socket) => {
    const fromClient = createMessageReader('client', ({ type, bytes }) => {
      if (type === '' && bytes.readInt32BE(4) === CANCEL_CODE) {
        database.write(otherProcessId(bytes, 8));
      } else if (
        type === '' &&
        /\0(?:options|statement_timeout)\0/.test(bytes.toString('latin1'))
      ) {
        client.end(refusal(code));
      } else {
        database.write(bytes);
      }
    });
    const fromDatabase = createMessageReader('database', ({ type, bytes }) => {
      client.write(type === 'K' ? otherProcessId(bytes, 5) : bytes);
    });
    client.on('data', fromClient);
    database.on('data', fromDatabase);
  });
}

/** Returns an ErrorResponse. */
function refusal(code: string): Buffer {
  const fields = Buffer.from(
    `SFATAL\0VFATAL\0C${code}\0MFeature not supported: this pool does not support command-line options.\0\0`,
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
