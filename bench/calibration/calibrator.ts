import { join } from 'node:path';
import type { Speed } from '../figures/speed.ts';
import { requestLines } from '../load/requests.ts';
import { measure } from '../load/wrk.ts';
import { startServer } from '../processes/server.ts';
import { writeFile } from 'node:fs/promises';
import { loopsPerSecond } from './loop.ts';

/** Measures the machine's speed. Disposing of it ends its server. */
export interface Calibrator extends AsyncDisposable {
  readonly measure: () => Promise<Speed>;
}

const CONNECTIONS = 32;

/** Starts a server with a constant body, whose speed depends on the machine alone. */
export async function startCalibrator(folder: string, signal: AbortSignal): Promise<Calibrator> {
  const file = join(folder, 'calibration.requests');
  await writeFile(file, requestLines([{ method: 'GET', path: '/v1/pets', body: '' }]));
  const server = await startServer({
    name: 'calibration',
    file: 'bench/peers/node-http.ts',
    env: { NODE_ENV: 'production' },
    folder,
    signal,
  });
  const load = { url: server.url, key: '', file, connections: CONNECTIONS, signal };
  // The first responses come from code that isn't compiled yet.
  await measure(load, 1);
  return {
    measure: async () => {
      const { requestsPerSecond } = await measure(load, 1);
      return { requestsPerSecond, loopsPerSecond: loopsPerSecond() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
