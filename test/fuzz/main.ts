import { EMBEDDED } from '../support/store-database.ts';
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  CommandFailure,
  expectNone,
  runCommand,
  wholeNumber,
} from '@store-gateway/ops/command-line';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { setLogger } from '@store-gateway/ops';
import { createDatabase } from '../support/database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { exchangeFromJson, exchangeToJson } from './exchange-json.ts';
import type { Exchange } from './exchange.ts';
import { startFuzzedService } from './fuzzed-service.ts';
import { faultsOf } from './oracle.ts';
import { describeRound } from './progress.ts';
import { runFuzz } from './run.ts';
import { sendExchange } from './send-exchange.ts';

const HELP = `Attacks a service of its own with generated, hostile input, until Ctrl-C or until something is found.

  npm run --silent fuzz -- [--exchanges N] [--seconds N] [--seed S]
  npm run --silent fuzz -- --replay FILE

It starts the service and a PostgreSQL in a temporary folder, and prints a line on stderr after each
round: what was answered, by status, and what the service came to. What is found is printed on stdout as
a line of JSON: the exchange whose answers show it, or, if it shows elsewhere, such as in the log, one that
was under way then. Keep it in a FILE to replay it, in test/fuzz/cases to have the tests do so.

  --exchanges N  ends after N exchanges, up to 999999999, if nothing is found
  --seconds N    ends after N seconds, up to 999999, if nothing is found
  --seed S       0 to 4294967295; the same seed sends the same exchanges. By default any.
  --replay FILE  sends the exchange of that file once, and prints what is answered

Exit codes: 0 done, 1 failed, 2 usage error.
`;

/** Seeds are below. */
const SEEDS = 2 ** 32;

/** Either is more than a week. */
const MOST_EXCHANGES = 999_999_999;
const MOST_SECONDS = 999_999;

await runCommand({
  name: 'fuzz',
  help: HELP,
  options: {
    exchanges: { type: 'string', default: String(MOST_EXCHANGES) },
    seconds: { type: 'string', default: String(MOST_SECONDS) },
    seed: { type: 'string' },
    replay: { type: 'string' },
  },
  read: ({ positionals, values: { exchanges, seconds, seed, replay } }) => {
    expectNone(positionals);
    if (replay !== undefined) {
      return ({ catchSignals }) => {
        // A replay ends by itself; Ctrl-C would leave its PostgreSQL running.
        catchSignals();
        return replayFile(replay);
      };
    }
    const start =
      seed === undefined
        ? randomInt(SEEDS)
        : wholeNumber('--seed', seed, { least: 0, most: SEEDS - 1 });
    const count = wholeNumber('--exchanges', exchanges, { most: MOST_EXCHANGES });
    const length = wholeNumber('--seconds', seconds, { most: MOST_SECONDS });
    return ({ catchSignals }) => {
      const interrupted = catchSignals();
      const over = AbortSignal.timeout(length * 1000);
      return attack(start, count, AbortSignal.any([interrupted, over]));
    };
  },
});

async function attack(seed: number, count: number, signal: AbortSignal): Promise<string> {
  process.stderr.write(`seed ${seed}\n`);
  const { exchanges, finding, faults } = await onPostgres((databaseUrl) =>
    runFuzz({
      databaseUrl,
      seed,
      exchanges: count,
      signal,
      onRound: (...round) => {
        process.stderr.write(`${describeRound(...round)}\n`);
      },
    }),
  );
  const all = [...(finding?.faults ?? []), ...faults];
  process.stderr.write(`${exchanges} exchanges with seed ${seed}\n`);
  if (all.length > 0) {
    if (finding !== undefined) {
      process.stdout.write(`${exchangeToJson(finding.exchange)}\n`);
    }
    throw new CommandFailure(1, `exchange ${finding?.number ?? 'unknown'}: ${all.join('; ')}`);
  }
  return '';
}

async function replayFile(file: string): Promise<string> {
  const exchange = await readExchange(file);
  return onPostgres(async (databaseUrl) => {
    await using service = await startFuzzedService(databaseUrl);
    const outcome = await sendExchange(exchange, service);
    const { end, read, milliseconds } = outcome;
    const answers = read.answers.map(({ status, headers, body }) => ({
      status,
      headers: Object.fromEntries(headers),
      body: body.toString('latin1').slice(0, 2000),
    }));
    const faults = [...faultsOf(exchange, outcome), ...(await service.stop())];
    return `${JSON.stringify({ end, milliseconds, answers, faults }, null, 2)}\n`;
  });
}

/** @throws CommandFailure */
async function readExchange(file: string): Promise<Exchange> {
  try {
    return exchangeFromJson(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(1, `${file}: ${reason}`, { cause: error });
  }
}

/** Does something on a PostgreSQL of its own, with an empty database. */
async function onPostgres<T>(act: (databaseUrl: string) => Promise<T>): Promise<T> {
  setLogger(undefined);
  await using directory = await temporaryDirectory();
  const postgres = await joinEmbeddedPostgres(directory.path, EMBEDDED);
  try {
    return await act(await createDatabase(postgres.url));
  } finally {
    await postgres.leave();
  }
}
