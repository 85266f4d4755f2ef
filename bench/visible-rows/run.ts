import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startGateway } from '@store-gateway/gateway/start-gateway';
import { median } from '../figures/medians.ts';
import { BOOK, loansGateway } from './loans.ts';

/*
 * What a rule on rows costs: the CPU time of a request's page of 20 rows, and of one row, by a gateway whose rule lets the
 * caller see the loans of one book, over that of one which is asked for the loans of this book. The median of ROUNDS.
 */

const ROUNDS = 7;
const SECONDS = 3;
const LOANS = 10_000n;

/** Microseconds of this process for a request, under load from another. */
async function cpuTime(url: string, key: string): Promise<number> {
  const before = process.cpuUsage();
  const options = ['-t1', '-c16', `-d${SECONDS}s`, '-H', `Authorization: Bearer ${key}`, url];
  const output = await text(spawn('wrk', options).stdout);
  const { user, system } = process.cpuUsage(before);
  const [, requests] = /(\d+) requests in/.exec(output) ?? [];
  if (requests === undefined || output.includes('Non-2xx')) {
    throw new Error(output);
  }
  return (user + system) / Number(requests);
}

async function start(folder: string, isRuled: boolean) {
  const DATA_DIR = join(folder, isRuled ? 'ruled' : 'plain');
  const started = await startGateway(loansGateway(isRuled), { DATA_DIR, RATE_LIMIT: 'off' });
  const { database, url } = started;
  await database.$executeRaw`INSERT INTO authors (name) VALUES ('Ada')`;
  await database.$executeRaw`
    INSERT INTO books (title, isbn, author_id)
    SELECT 'Book', number::text, 1 FROM generate_series(1, 10) AS number`;
  await database.$executeRaw`
    INSERT INTO loans (borrower, due, book_id)
    SELECT 'Nora', now(), number % 10 + 1 FROM generate_series(1, ${LOANS}) AS number`;
  await database.$executeRawUnsafe('ANALYZE');
  const [loan] = await database.loan.findMany({ where: { bookId: BOOK }, take: 1 });
  const key = await started.createKey('bench');
  const filter = isRuled ? '' : `bookId:"${BOOK}",`;
  const queries = {
    page: `{loans(${filter}limit:20){id borrower bookId}}`,
    get: `{loan(id:"${loan?.id}"){id borrower bookId}}`,
  };
  const measure = (query: string) =>
    cpuTime(`${url}/graphql?query=${encodeURIComponent(query)}`, key);
  return { queries, measure, stop: () => started[Symbol.asyncDispose]() };
}

const folder = await mkdtemp(join(tmpdir(), 'visible-rows-'));
// PostgreSQL runs as another user than root.
await chmod(folder, 0o755);
const gateways = [await start(folder, false), await start(folder, true)] as const;
try {
  for (const name of ['page', 'get'] as const) {
    const times: [number, number][] = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      const [plain, ruled] = gateways;
      const pair: [number, number] = [
        await plain.measure(plain.queries[name]),
        await ruled.measure(ruled.queries[name]),
      ];
      // The first round warms up.
      if (round >= 0) times.push(pair);
    }
    const ratio = median(times.map(([plain, ruled]) => ruled / plain)) ?? 0;
    const [plain, ruled] = [0, 1].map(
      (place) => median(times.map((pair) => pair[place] ?? 0)) ?? 0,
    );
    process.stdout.write(
      `${name}: ${plain?.toFixed(0)} µs, with a rule ${ruled?.toFixed(0)} µs: ${ratio.toFixed(2)} times\n`,
    );
  }
} finally {
  for (const { stop } of gateways) await stop();
  await rm(folder, { recursive: true });
}
