import { EMBEDDED } from '../support/store-database.ts';
import { join, resolve } from 'node:path';
import { markdownTable } from '../../bench/report/markdown-table.ts';
import {
  CommandFailure,
  expectNone,
  runCommand,
  wholeNumber,
} from '@store-gateway/ops/command-line';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { setLogger } from '@store-gateway/ops';
import { createDatabase } from '../support/database.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Attack } from './attacks/attack.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { fillStore, type Keys } from './store.ts';
import { type Trial, tryAttack } from './trial.ts';
import { failuresOf, figuresOf, percent } from './verdict.ts';

const HELP = `Attacks the service in many ways beside two honest clients, and prints what that did to them, as a table.

  npm run --silent isolation -- [--seconds N] [--only TEXT] [FOLDER]

With the FOLDER of another checkout, such as of the version before, each attack is tried on that one, too, in the
same run. Its packages have to be installed. The honest clients send 50 requests per second each, with keys of their
own; in the table are the share of their requests that were done, the milliseconds that these and the others took,
but for those in which the machine itself stood still, the most that the heap was seen to hold, and the time from
SIGTERM, in the middle of the attack, to the end. It takes about ten minutes for each checkout, on a machine that
has nothing else to do.

Kept is the promise of SECURITY.md, but for the time in which the service was ready to run and others had the
processors. What broke it is told on stderr, as it happens.

  --seconds N  how long each attack takes, 4 to 999, by default 8
  --only TEXT  those attacks whose names have TEXT in them

Ctrl-C ends it after the attack that is being tried.

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const ROOT = join(import.meta.dirname, '..', '..');
const HEADER = ['attack', 'checkout', 'kept', 'done', 'p50', 'p99', 'slowest', 'MB', 'end s'];

await runCommand({
  name: 'isolation',
  help: HELP,
  options: {
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
  read: ({ positionals: [other, ...rest], values: { seconds, only } }) => {
    expectNone(rest);
    const length = wholeNumber('--seconds', seconds, { least: 4, most: 999 });
    const attacks = ATTACKS.filter(({ name }) => name.includes(only));
    if (attacks.length === 0) {
      throw new CommandFailure(2, `no attack has --only ${only} in its name; see --help`);
    }
    const roots = other === undefined ? [ROOT] : [resolve(other), ROOT];
    return async ({ catchSignals }) => {
      const interruption = catchSignals();
      try {
        return await tryAll(roots, attacks, length, interruption);
      } catch (error) {
        // On a terminal, Ctrl-C reaches what it has started, too.
        if (interruption.aborted) throw new CommandFailure(1, 'interrupted', { cause: error });
        throw error;
      }
    };
  },
});

interface Checkout {
  readonly root: string;
  readonly keys: Keys;
  /** The database that those of the trials are copied from. */
  readonly template: string;
}

async function tryAll(
  roots: readonly string[],
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
  const checkouts: Checkout[] = [];
  for (const [index, root] of roots.entries()) {
    const template = `template_${index}`;
    const databaseUrl = await createDatabase(url, { name: template });
    checkouts.push({ root, template, keys: await fillStore(root, { DATABASE_URL: databaseUrl }) });
  }
  const rows: string[][] = [];
  for (const attack of attacks) {
    for (const { root, template, keys } of checkouts) {
      interruption.throwIfAborted();
      const env = { DATABASE_URL: await createDatabase(url, { template }) };
      const trial = await tryAttack({ root, attack, env, keys, seconds, stalls });
      const row = [attack.name, root === ROOT ? 'this one' : 'the other', ...cellsOf(trial)];
      process.stderr.write(`${[row.join(', '), ...failuresOf(trial)].join('\n  ')}\n`);
      rows.push(row);
    }
  }
  return markdownTable(HEADER, rows, 'lllrrrrrr');
}

function cellsOf(trial: Trial): string[] {
  const { answered, p50, p99, slowest } = figuresOf([...trial.known, ...trial.late]);
  const end = trial.exit === '0' ? trial.seconds.toFixed(1) : trial.exit;
  return [
    failuresOf(trial).length === 0 ? 'yes' : 'no',
    percent(answered),
    ...[p50, p99, slowest].map((milliseconds) => milliseconds.toFixed(0)),
    (trial.heapPeak / 1e6).toFixed(0),
    end,
  ];
}
