import type { Database } from '../../test/support/store-database.ts';
import { setTimeout } from 'node:timers/promises';
import { cpuOfEach } from '../processes/usage.ts';
import { BATCHES_PER_SECOND, PETS, type Cell, type Sample } from './cells.ts';

/** Statements so far, by what answered them. */
export interface Answered {
  readonly replica: number;
  readonly primary: number;
}

export interface Measured {
  readonly database: Database;
  readonly answered: () => Answered;
  /** Of the primary, and of each replica. */
  readonly processIds: readonly number[];
  readonly seconds: number;
}

/** Measures batches of pages for some seconds, while animals are added as the cell says. */
export async function measureCell(cell: Cell, measured: Measured): Promise<Sample> {
  const { database, answered, processIds, seconds } = measured;
  const readBatch = () => Promise.all(Array.from({ length: cell.pages }, () => readPage(database)));
  const idle = await cpuRates(processIds, () => setTimeout(seconds * 500));
  for (let times = 0; times < 100; times += 1) await readBatch();
  const before = answered();
  const took: number[] = [];
  const used = await cpuRates(processIds, async () => {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const began = performance.now();
      await readBatch();
      took.push(performance.now() - began);
      await setTimeout(1000 / BATCHES_PER_SECOND);
    }
  });
  const after = answered();
  // Without what the creates cost.
  const [primary = 0, ...replicas] = used.map((rate, index) => rate - (idle[index] ?? 0));
  const microsecondsPerPage = (rate: number) => (rate * seconds * 1e6) / (took.length * cell.pages);
  took.sort((a, b) => a - b);
  const byReplicas = after.replica - before.replica;
  const statements = byReplicas + after.primary - before.primary;
  return {
    cell,
    primaryCpu: microsecondsPerPage(primary),
    replicaCpu: microsecondsPerPage(replicas.reduce((sum, rate) => sum + rate, 0)),
    p50: took[Math.floor(took.length * 0.5)] ?? 0,
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
    share: statements === 0 ? 0 : byReplicas / statements,
  };
}

/** 20 animals, from a random one on. */
function readPage(database: Database) {
  const gt = BigInt(Math.floor(Math.random() * (PETS - 20)));
  return database.pet.findMany({ where: { id: { gt } }, orderBy: { id: 'asc' }, take: 20 });
}

/** CPU seconds that each process uses in a second, meanwhile. */
async function cpuRates(
  processIds: readonly number[],
  act: () => Promise<unknown>,
): Promise<readonly number[]> {
  const before = await cpuOfEach(processIds);
  const began = performance.now();
  await act();
  const after = await cpuOfEach(processIds);
  const seconds = (performance.now() - began) / 1000;
  return after.map((cpu, index) => (cpu.seconds - (before[index]?.seconds ?? 0)) / seconds);
}
