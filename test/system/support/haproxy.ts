import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { requireProgram } from '../../cluster/support/program.ts';
import { keptForFile } from '../../support/clean-up.ts';
import { runProgram, type ChildEntry } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Debian's path, unless the environment variable HAPROXY names a different one. */
const EXECUTABLE = process.env['HAPROXY'] ?? '/usr/sbin/haproxy';
const CONFIGURATION = new URL('../../../deploy/haproxy.cfg', import.meta.url);

/** A local address that no client connects from, so that a port stays free while no server listens on it. */
export const HOST = '127.0.0.2';

export type ServerName = 'one' | 'two';

export interface HAProxy {
  readonly url: string;
  /** Resolves when HAProxy marks a server as up or down. */
  readonly becomes: (status: 'UP' | 'DOWN', name: ServerName) => Promise<void>;
}

/** The lines in the configuration for the prefix /store, without their comment marks. */
const PREFIX_LINES = {
  '# http-request redirect code 308 location /store/':
    'http-request redirect code 308 location /store/',
  '# http-request replace-path': 'http-request replace-path',
};

interface HAProxyOptions {
  /** A port on `HOST`; by default any free one. */
  readonly port?: number;
  /** Whether it serves everything below /store, and nothing else. */
  readonly hasPrefix?: boolean;
}

/**
 * Runs HAProxy as deploy/haproxy.cfg configures it, except for the addresses, until the file's tests are over.
 *
 * @param urls of its servers
 * @throws Error that says what to install
 */
export async function startHAProxy(
  urls: Readonly<Record<ServerName, string>>,
  { port, hasPrefix = false }: HAProxyOptions = {},
): Promise<HAProxy> {
  const directory = keptForFile(await temporaryDirectory());
  const socket = join(directory.path, 'admin.sock');
  const address = `${HOST}:${port ?? (await freePort())}`;
  const file = join(directory.path, 'haproxy.cfg');
  await writeFile(
    file,
    replaceEach(await readFile(CONFIGURATION, 'utf8'), {
      '/run/haproxy/admin.sock': socket,
      '127.0.0.1:8080': address,
      '127.0.0.1:4001': new URL(urls.one).host,
      '127.0.0.1:4002': new URL(urls.two).host,
      ...(hasPrefix && PREFIX_LINES),
    }),
  );
  await runHAProxy(file);
  return {
    url: `http://${address}`,
    becomes: async (status, name) => {
      await expect
        .poll(() => statusOf(socket, name).catch(String), { timeout: 30_000 })
        .toBe(status);
    },
  };
}

/** @throws Error that says what to install */
export async function runHAProxy(configuration: string): Promise<ChildEntry> {
  await requireProgram(EXECUTABLE, 'haproxy', 'HAPROXY');
  return runProgram(EXECUTABLE, ['-db', '-f', configuration], {});
}

/** Replaces each of these texts; expects that they occur. */
export function replaceEach(
  configuration: string,
  replacements: Readonly<Record<string, string>>,
): string {
  return Object.entries(replacements).reduce((replaced, [from, to]) => {
    expect(replaced).toContain(from);
    return replaced.replaceAll(from, to);
  }, configuration);
}

/** Returns a port on `HOST` that is free now, and stays free. */
export async function freePort(host = HOST): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Returns a server's status in HAProxy's health checks, for example UP or DOWN. */
async function statusOf(socket: string, name: ServerName): Promise<string | undefined> {
  const client = connect(socket);
  client.write('show stat\n');
  const [head = '', ...rows] = (await text(client)).trim().split('\n');
  const names = head.replace(/^# /, '').split(',');
  const cells = rows
    .map((row) => row.split(','))
    .find(([backend, server]) => backend === 'gateways' && server === name);
  return cells?.[names.indexOf('status')];
}
