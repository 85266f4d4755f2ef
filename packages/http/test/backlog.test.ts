import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { listen, type Listening } from '../src/listen.ts';

const CONNECTIONS = 1000;

/** Ends once it is connected so often. */
const CLIENT = `
import { connect } from 'node:net';
let connected = 0;
for (let number = 0; number < ${CONNECTIONS}; number += 1) {
  connect(Number(process.argv[1]), '127.0.0.1', () => {
    connected += 1;
    if (connected === ${CONNECTIONS}) process.exit();
  });
}`;

/** Sends a request, and resets its connection. */
const RESETTING_CLIENT = `
import { connect } from 'node:net';
const socket = connect(Number(process.argv[1]), '127.0.0.1', () => {
  socket.write('GET /reset HTTP/1.1\\r\\nHost: store\\r\\n\\r\\n', () => socket.resetAndDestroy());
});`;

/** Runs a client to its end; this process waits for it, and accepts nothing meanwhile. */
function exitCodeOf(program: string, { url }: Listening): number | null {
  const args = ['--input-type=module', '--eval', program, new URL(url).port];
  return spawnSync(process.execPath, args, { timeout: 30_000 }).status;
}

test('a burst of connections is established while the process is busy', async () => {
  const server = await listen((_request, response) => response.end(), {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: CONNECTIONS,
  });
  onTestFinished(() => server.close());
  expect(exitCodeOf(CLIENT, server)).toBe(0);
});

test('a request whose connection was reset before it is accepted is not read', async () => {
  const paths: (string | undefined)[] = [];
  const server = await listen(
    (request, response) => {
      paths.push(request.url);
      response.end();
    },
    { host: '127.0.0.1', port: 0 },
  );
  onTestFinished(() => server.close());
  expect(exitCodeOf(RESETTING_CLIENT, server)).toBe(0);
  for (const path of ['/first', '/second']) {
    expect((await fetch(new URL(path, server.url))).status).toBe(200);
  }
  expect(paths).toEqual(['/first', '/second']);
});
