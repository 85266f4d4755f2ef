import {
  CommandFailure,
  rejectPositionals,
  runCommand,
  wholeNumber,
} from '@store-gateway/ops/command-line';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { setLogger } from '@store-gateway/ops';
import { markdownTable } from '../../bench/report/markdown-table.ts';
import { createDatabase } from '../support/database.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { EMBEDDED } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Attack } from './attacks/attack.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { bookkeepingFaults, fillStore } from './store.ts';
import { type Trial, tryAttack } from './trial.ts';
import { failuresOf, figuresOf, isOfTime, percent } from './verdict.ts';

const HELP = `Attacks the service in many ways beside two honest clients, and prints the effects on them as a table.

  npm run --silent isolation -- [--seconds N] [--only PATTERN]

The honest clients send 50 requests per second each, with keys of their own. The table has the share of their requests that
succeeded, their milliseconds except those for which the machine stood still, the largest size of the heap, and the seconds
from SIGTERM, during the attack, to the end. It takes about ten minutes on an otherwise idle machine.

An attack that breaks the promise of SECURITY.md is reported on stderr. If it only breaks the promise about response times,
which holds for an idle machine, it is tried up to three times. The promise also covers what the honest clients have added.

  --seconds N     duration of each attack, 4 to 999, by default 8
  --only PATTERN  attacks whose names match this regular expression

Ctrl-C ends it after the current attack.

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const TRIALS = 3;
const HEADER = ['attack', 'kept', 'done', 'p50', 'p99', 'slowest', 'MB', 'end s'];

await runCommand({
  name: 'isolation',
  help: HELP,
  options: {
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
  read: ({ positionals, values: { seconds, only } }) => {
    rejectPositionals(positionals);
    const length = wholeNumber('--seconds', seconds, { least: 4, most: 999 });
    const pattern = patternOf(only);
    const attacks = ATTACKS.filter(({ name }) => pattern.test(name));
    if (attacks.length === 0) {
      throw new CommandFailure(2, `no attack's name matches --only ${only}; see --help`);
    }
    return ({ catchSignals }) => tryAll(attacks, length, catchSignals());
  },
});

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new CommandFailure(2, '--only must be a regular expression', { cause: error });
  }
}

async function tryAll(
  attacks: readonly Attack[],
  seconds: number,
  interruption: AbortSignal,
): Promise<string> {
  setLogger(undefined);
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  const { url, leave } = await joinEmbeddedPostgres(path, EMBEDDED);
  stack.defer(leave);
  const stalls = stack.use(await measureStalls());
  const template = 'template_isolation';
  const filled = await createDatabase(url, { name: template });
  const keys = await fillStore({ DATABASE_URL: filled });

  const onDatabase = async (attack: Attack) => {
    const databaseUrl = await createDatabase(url, { template });
    const env = { DATABASE_URL: databaseUrl };
    const trial = await tryAttack({ attack, env, keys, seconds, stalls });
    return { trial, faults: await bookkeepingFaults(trial, databaseUrl) };
  };
  const onEmbedded = async (attack: Attack) => {
    await using directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path };
    const trial = await tryAttack({ attack, env, keys: await fillStore(env), seconds, stalls });
    const postgres = await joinEmbeddedPostgres(directory.path, EMBEDDED);
    try {
      return { trial, faults: await bookkeepingFaults(trial, postgres.url) };
    } finally {
      await postgres.leave();
    }
  };

  const rows: string[][] = [];
  const broken: string[] = [];
  for (const attack of attacks) {
    const act = attack.isEmbedded === true ? onEmbedded : onDatabase;
    for (let trials = 1; ; trials += 1) {
      if (interruption.aborted) throw new CommandFailure(1, 'interrupted');
      const { trial, faults } = await act(attack);
      const failures = [...failuresOf(trial), ...faults];
      const row = [attack.name, failures.length === 0 ? 'yes' : 'no', ...cellsOf(trial)];
      process.stderr.write(`${[row.join(', '), ...failures].join('\n  ')}\n`);
      // A client that the service starves would be starved in every trial.
      if (failures.length > 0 && failures.every(isOfTime) && trials < TRIALS) continue;
      rows.push(row);
      if (failures.length > 0) broken.push(attack.name);
      break;
    }
  }
  process.stdout.write(markdownTable(HEADER, rows, 'llrrrrrr'));
  if (broken.length > 0) {
    throw new CommandFailure(1, `the promise was broken while ${broken.join('; ')}`);
  }
  return '';
}

function cellsOf(trial: Trial): string[] {
  const { answered, p50, p99, slowest } = figuresOf([...trial.known, ...trial.late]);
  return [
    percent(answered),
    ...[p50, p99, slowest].map((milliseconds) => milliseconds.toFixed(0)),
    (trial.heapPeak / 1e6).toFixed(0),
    trial.exit === '0' ? trial.seconds.toFixed(1) : trial.exit,
  ];
}
