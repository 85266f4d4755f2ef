import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expectNone, runCommand } from '@store-gateway/command-line/run-command';
import { wholeNumber } from '@store-gateway/command-line/whole-number';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { interruptible } from '../interruptible.ts';
import { startGatewayStore, type GatewayStore } from '../processes/gateway-store.ts';
import type { Subject } from '../processes/session.ts';
import { createProgress } from '../progress.ts';
import { startClients, type Outcomes } from './clients.ts';
import { descriptorsOf, untilReplaced, workersOf } from './workers.ts';

const HELP = `Kills, stops and drains worker processes under load, and tells what clients saw of it.

  npm run worker-faults --prefix bench -- --deaths 100

With two workers and 8 clients that open a connection for each request, then with 32 that keep theirs.

  --deaths N  how often a worker is killed with SIGKILL, by default 20
  --drains N  how often the service is told to stop, by default 5

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const LONERS = { count: 8, keepAlive: false };
const KEEPERS = { count: 32, keepAlive: true };

const NAME = 'faults';

/** Milliseconds for which connections spread, and for which requests are counted then. */
const SPREADING = 65_000;
const COUNTING = 5_000;

await runCommand({
  name: 'worker-faults',
  help: HELP,
  options: {
    deaths: { type: 'string', default: '20' },
    drains: { type: 'string', default: '5' },
  },
  read: ({ positionals, values }) => {
    expectNone(positionals);
    const deaths = wholeNumber('--deaths', values.deaths, { most: 9999 });
    const drains = wholeNumber('--drains', values.drains, { most: 9999 });
    return ({ catchSignals }) =>
      interruptible(catchSignals(), async (signal) => {
        await using stack = new AsyncDisposableStack();
        const { path } = stack.use(await temporaryDirectory());
        const store = await startGatewayStore(path, stack, signal);
        const { tell } = createProgress();
        const lines: string[] = [];
        const add = (line: string): void => {
          lines.push(line);
          tell(line);
        };
        add(await drain(store, '1', drains));
        add(await drain(store, '2', drains));
        const subject = await store.startGateway({ name: NAME, env: { WORKERS: '2' } });
        const faulty = { ...subject, log: join(path, `${NAME}.log`), signal };
        add(await kill(faulty, deaths));
        add(await stop(faulty));
        add(await spread(faulty));
        return `${lines.join('\n')}\n`;
      });
  },
});

/** A service whose workers come to harm. */
interface Faulty extends Subject {
  /** The file. */
  readonly log: string;
  readonly signal: AbortSignal;
}

function told({ answered, closed, hung }: Outcomes): string {
  return `${answered} requests answered, ${closed} on connections that were closed, ${hung} never`;
}

/** SIGTERM under load, again and again. */
async function drain(
  { startGateway }: GatewayStore,
  workers: string,
  drains: number,
): Promise<string> {
  const all: Outcomes = { answered: 0, closed: 0, refused: 0, hung: 0 };
  for (let round = 0; round < drains; round += 1) {
    const name = `drain-${workers}-${round}`;
    const { server, key } = await startGateway({ name, env: { WORKERS: workers } });
    const clients = [KEEPERS, LONERS].map((kind) => startClients(server.url, key, kind));
    await setTimeout(1000);
    await server[Symbol.asyncDispose]();
    for (const { end, outcomes } of clients) {
      await end();
      all.answered += outcomes.answered;
      all.closed += outcomes.closed;
      all.hung += outcomes.hung;
    }
  }
  return `SIGTERM × ${drains}, WORKERS=${workers}: ${told(all)}`;
}

/** SIGKILL to the oldest worker, again and again. */
async function kill({ server, key, log, signal }: Faulty, deaths: number): Promise<string> {
  const before = await descriptorsOf(server);
  const { end, outcomes } = startClients(server.url, key, LONERS);
  for (let death = 0; death < deaths; death += 1) {
    const [worker = 0] = await workersOf(server);
    await untilReplaced(log, () => process.kill(worker, 'SIGKILL'), signal);
    await server.renew();
  }
  await end();
  await setTimeout(1000);
  const left = (await descriptorsOf(server)) - before;
  return `SIGKILL × ${deaths}: ${told(outcomes)}; the supervisor has ${left} descriptors more`;
}

/** SIGSTOP to a worker. */
async function stop({ server, key, log, signal }: Faulty): Promise<string> {
  const { end, outcomes } = startClients(server.url, key, LONERS);
  const [worker = 0] = await workersOf(server);
  const began = performance.now();
  await untilReplaced(log, () => process.kill(worker, 'SIGSTOP'), signal);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  await end();
  return `SIGSTOP: ${told(outcomes)}; another worker serves after ${seconds} s`;
}

/** How evenly kept connections spread over workers, of which one has just begun. */
async function spread({ server, key, log, signal }: Faulty): Promise<string> {
  const [worker = 0] = await workersOf(server);
  const { end } = startClients(server.url, key, KEEPERS);
  await untilReplaced(log, () => process.kill(worker, 'SIGKILL'), signal);
  const sharesAfter = async (milliseconds: number): Promise<string> => {
    await setTimeout(milliseconds, undefined, { signal });
    await server.renew();
    await setTimeout(COUNTING, undefined, { signal });
    const lines = await readFile(log, 'utf8');
    const pids = Array.from(lines.matchAll(/"pid":(\d+),.*"msg":"request"/g), ([, pid]) => pid);
    const counts = [...Map.groupBy(pids, (pid) => pid).values()].map(({ length }) => length);
    return counts.map((count) => `${Math.round((100 * count) / pids.length)} %`).join(' and ');
  };
  const atFirst = await sharesAfter(0);
  const later = await sharesAfter(SPREADING);
  await end();
  return `after a death, workers have ${atFirst} of the requests; a minute later ${later}`;
}
