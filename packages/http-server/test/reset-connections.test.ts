import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/listen.ts';

/** Sends a request, and resets its connection. */
const CLIENT = `
import { connect } from 'node:net';
const socket = connect(Number(process.argv[1]), '127.0.0.1', () => {
  socket.write('GET /reset HTTP/1.1\\r\\nHost: store\\r\\n\\r\\n', () => socket.resetAndDestroy());
});`;

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
  // This process waits for that one, and accepts nothing meanwhile.
  const client = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', CLIENT, new URL(server.url).port],
    { timeout: 30_000 },
  );
  expect(client.status).toBe(0);
  for (const path of ['/first', '/second']) {
    expect((await fetch(new URL(path, server.url))).status).toBe(200);
  }
  expect(paths).toEqual(['/first', '/second']);
});
