import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/listen.ts';

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

test('a burst of connections is established while the process is busy', async () => {
  const server = await listen((_request, response) => response.end(), {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: CONNECTIONS,
  });
  onTestFinished(() => server.close());
  // This process waits for that one, and accepts nothing meanwhile.
  const client = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', CLIENT, new URL(server.url).port],
    { timeout: 30_000 },
  );
  expect(client.status).toBe(0);
});
