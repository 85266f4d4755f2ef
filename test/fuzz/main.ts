import { randomInt } from 'node:crypto';
import {
  CommandFailure,
  rejectPositionals,
  runCommand,
  wholeNumber,
} from '@store-gateway/ops/command-line';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { setLogger } from '@store-gateway/ops';
import { createDatabase } from '../support/database.ts';
import { EMBEDDED } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runFuzz } from './run.ts';

const HELP = `Attacks a service with generated, hostile input until Ctrl-C or until it finds something.

  npm run --silent fuzz -- [--exchanges N] [--seconds N] [--seed S]

It starts the service and a PostgreSQL in a temporary folder. After each round, it prints a line on stderr: the number of
answers by status, and what the service needed. It prints a finding on stdout as a line of JSON: the exchange that shows
it or, if it shows elsewhere, such as in the log, one that was in flight. Add it to the tests in test/limits.

  --exchanges N  ends after N exchanges, up to 999999999, if nothing is found
  --seconds N    ends after N seconds, up to 999999, if nothing is found
  --seed S       0 to 4294967295; the same seed sends the same exchanges. By default a random one.

Exit codes: 0 done, 1 failed, 2 usage error.
`;

/** Seeds are below this number. */
const SEEDS = 2 ** 32;

/** Either number takes more than a week. */
const MOST_EXCHANGES = 999_999_999;
const MOST_SECONDS = 999_999;

await runCommand({
  name: 'fuzz',
  help: HELP,
  options: {
    exchanges: { type: 'string', default: String(MOST_EXCHANGES) },
    seconds: { type: 'string', default: String(MOST_SECONDS) },
    seed: { type: 'string', default: String(randomInt(SEEDS)) },
  },
  read: ({ positionals, values }) => {
    rejectPositionals(positionals);
    const seed = wholeNumber('--seed', values.seed, { least: 0, most: SEEDS - 1 });
    const exchanges = wholeNumber('--exchanges', values.exchanges, { most: MOST_EXCHANGES });
    const seconds = wholeNumber('--seconds', values.seconds, { most: MOST_SECONDS });
    return ({ catchSignals }) => {
      const interrupted = catchSignals();
      const over = AbortSignal.timeout(seconds * 1000);
      return attack(seed, exchanges, AbortSignal.any([interrupted, over]));
    };
  },
});

async function attack(seed: number, exchanges: number, signal: AbortSignal): Promise<string> {
  setLogger(undefined);
  process.stderr.write(`seed ${seed}\n`);
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const { url, leave } = await joinEmbeddedPostgres(path, EMBEDDED);
  stack.defer(leave);
  const { to, finding, faults } = await runFuzz({
    databaseUrl: await createDatabase(url),
    seed,
    exchanges,
    signal,
    onRound: (line) => {
      process.stderr.write(`${line}\n`);
    },
  });
  process.stderr.write(`${to} exchanges with seed ${seed}\n`);
  if (finding !== undefined) {
    process.stdout.write(`${JSON.stringify(finding.exchange)}\n`);
  }
  const all = [...(finding?.faults ?? []), ...faults];
  if (all.length > 0) {
    throw new CommandFailure(1, `exchange ${finding?.number ?? 'unknown'}: ${all.join('; ')}`);
  }
  return '';
}
