import { setTimeout } from 'node:timers/promises';
import { installRecorder } from '@gateway/telemetry/recorder';
import { openDatabase, type Database } from '../src/database/client.ts';
import { replicasAt } from '../src/database/replicas.ts';
import { startReplicatedPostgres } from '../test/support/replicated-postgres.ts';
import type { Measuring } from './measure-rounds.ts';
import { runCommandFile } from './processes/command.ts';
import { connect } from './processes/postgres.ts';
import { cpuOfEach } from './processes/usage.ts';
import { milliseconds } from './report/format.ts';
import { markdownTable } from './report/markdown-table.ts';
import { runRoundsCommand } from './rounds-command.ts';

const HELP = `Measures reads on a PostgreSQL with streaming replicas, and prints a table.

  node bench/replica-reads.ts --rounds 3

Batches of pages of 20 animals are asked for at the same rate, whatever answers: so a connection rests as long in between.
Beside it, animals are added one after the other, if any. The primary and the replicas share this machine.
`;

const PETS = 100_000;
const BATCHES = [1, 8, 32];
const REPLICAS = [0, 1, 2];
/** Batches in a second. */
const RATE = 200;
/** Animals that are added beside in a second. */
const WRITES = [0, 200];

interface Cell {
  readonly writes: number;
  readonly batch: number;
  readonly replicas: number;
}

interface Sample {
  /** CPU time of the primary and of a replica for each page: microseconds. */
  readonly primary: number;
  readonly replica: number;
  /** Of a batch: milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the statements, those that replicas have answered. */
  readonly share: number;
}

/** Statements so far, by what answered them. */
const answered = { replica: 0, primary: 0 };
installRecorder({
  add: (name, value, labels) => {
    if (name !== 'replica_reads_total') return;
    answered[labels?.['answered_by'] === 'replica' ? 'replica' : 'primary'] += value;
  },
  record: () => undefined,
  observe: () => undefined,
});

await runRoundsCommand({
  name: 'replica-reads',
  help: HELP,
  measure: async (measuring, _folder, stack) => {
    const { progress, signal } = measuring;
    progress.tell('starting PostgreSQL and two replicas');
    const settings = { fsync: 'on', shared_buffers: '256MB' };
    const { primary, replicas } = stack.use(
      await startReplicatedPostgres({ replicas: 2, settings }),
    );
    const env = { DATABASE_URL: primary.url };
    await runCommandFile('src/commands/seed.ts', [String(PETS)], env, signal);
    await primary.ask('VACUUM ANALYZE pets');
    const databases = REPLICAS.map((count) => {
      const urls = replicas.slice(0, count).map(({ url }) => url);
      const database = openDatabase(
        primary.url,
        count === 0 ? {} : { openReplicas: replicasAt(urls) },
      );
      stack.defer(() => database.$disconnect());
      return database;
    });
    await setTimeout(1000);
    const processes = [primary, ...replicas].map((server) => server.processId() ?? 0);
    const samples = new Map<string, Sample[]>();
    for (let round = 0; round < measuring.rounds; round += 1) {
      for (const cell of cells()) {
        signal.throwIfAborted();
        const database = databases[REPLICAS.indexOf(cell.replicas)];
        if (database === undefined) continue;
        const writer = await startWriter(primary.url, cell.writes);
        const sample = await measure(database, cell, processes, measuring);
        await writer.end();
        const name = JSON.stringify(cell);
        samples.set(name, [...(samples.get(name) ?? []), sample]);
        progress.tell(`round ${round + 1} ${name}: ${JSON.stringify(sample)}`);
      }
    }
    return tableOf(samples);
  },
});

function cells(): Cell[] {
  return WRITES.flatMap((writes) =>
    BATCHES.flatMap((batch) => REPLICAS.map((replicas) => ({ writes, batch, replicas }))),
  );
}

async function measure(
  database: Database,
  { batch }: Cell,
  processes: readonly number[],
  { seconds }: Measuring,
): Promise<Sample> {
  const readBatch = () =>
    Promise.all(
      Array.from({ length: batch }, () =>
        database.pet.findMany({
          where: { id: { gt: BigInt(Math.floor(Math.random() * (PETS - 20))) } },
          orderBy: { id: 'asc' },
          take: 20,
        }),
      ),
    );
  const idle = await rates(processes, () => setTimeout(seconds * 500));
  for (let times = 0; times < 100; times += 1) await readBatch();
  const before = { ...answered };
  const took: number[] = [];
  const used = await rates(processes, async () => {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const begun = performance.now();
      await readBatch();
      took.push(performance.now() - begun);
      await setTimeout(1000 / RATE);
    }
  });
  // Without what the writes cost.
  const [primary = 0, ...replicas] = used.map((rate, index) => rate - (idle[index] ?? 0));
  const pagesPerSecond = (took.length * batch) / seconds;
  took.sort((a, b) => a - b);
  const byReplicas = answered.replica - before.replica;
  const statements = byReplicas + answered.primary - before.primary;
  return {
    primary: (primary / pagesPerSecond) * 1e6,
    replica: (sum(replicas) / pagesPerSecond) * 1e6,
    p50: took[Math.floor(took.length * 0.5)] ?? 0,
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
    share: statements === 0 ? 0 : byReplicas / statements,
  };
}

/** CPU seconds that processes use in a second of what is done. */
async function rates(
  processes: readonly number[],
  act: () => Promise<unknown>,
): Promise<readonly number[]> {
  const before = await cpuOfEach(processes);
  const begun = performance.now();
  await act();
  const after = await cpuOfEach(processes);
  const seconds = (performance.now() - begun) / 1000;
  return after.map((cpu, index) => (cpu.seconds - (before[index]?.seconds ?? 0)) / seconds);
}

/** Adds so many animals a second, one after the other, until it is ended. */
async function startWriter(url: string, rate: number): Promise<{ end: () => Promise<void> }> {
  const client = await connect(url);
  const over = new AbortController();
  const write = async () => {
    while (!over.signal.aborted) {
      await client.query("INSERT INTO pets (name, category_id, status) VALUES ('new', 1, 'sold')");
      await setTimeout(1000 / rate);
    }
  };
  const ended = rate === 0 ? undefined : write();
  return {
    end: async () => {
      over.abort();
      await ended;
      await client.end();
    },
  };
}

function tableOf(samples: ReadonlyMap<string, readonly Sample[]>): string {
  const median = (cell: Cell, figure: keyof Sample): number => {
    const values = (samples.get(JSON.stringify(cell)) ?? []).map((sample) => sample[figure]);
    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  };
  const rows = cells().map((cell) => {
    const alone = { ...cell, replicas: 0 };
    return [
      String(cell.writes),
      String(cell.batch),
      String(cell.replicas),
      `${Math.round(median(cell, 'share') * 100)} %`,
      `${median(cell, 'primary').toFixed(1)} µs`,
      (median(cell, 'primary') / median(alone, 'primary')).toFixed(2),
      `${median(cell, 'replica').toFixed(1)} µs`,
      milliseconds(median(cell, 'p50')),
      milliseconds(median(cell, 'p99')),
    ];
  });
  const header = [
    'creates/s',
    'pages',
    'replicas',
    'by replicas',
    'primary',
    '÷ alone',
    'replicas',
    'p50 ms',
    'p99 ms',
  ];
  return markdownTable(header, rows, 'r'.repeat(header.length));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
