import type { parseArgs } from 'node:util';
import { CommandFailure, type Given, wholeNumber } from '@store-gateway/ops/command-line';

export const HELP = `Compares the gateway with hand-written servers and other stacks, and prints tables of the results and of the targets met.

  npm run --silent bench
  npm run --silent bench -- --quick
  npm run --silent bench -- --quick --base v1.0.0 --pairs 10
  npm run --silent bench -- --prices --only 'queue|batches'
  npm run --silent bench -- --only '^(ours|fastify-pg)/rest/hot/32' --rounds 2

The first run installs the peers. A full run of five rounds takes at most 25 minutes, and writes
docs/results/benchmark.md and benchmark.svg, unless the machine is slower than the one they were measured on.
Ctrl-C stops it and everything that it has started.

  --quick       compares the CPU time per request with that of the previous commit, in a minute; fails if it
                is more than 10 % higher. Needs no peers
  --base REF    the commit for --quick, by default HEAD if there are uncommitted code changes, otherwise the
                parent of the last commit that changed code
  --pairs N     with --quick, measures N pairs of new processes and never fails: prints the mean ratio of each
                kind of request and its error. On an idle machine, ten pairs take ten minutes and show 3 %
  --prices      compares the gateway with copies that each lack one mechanism, in five pairs unless --pairs
                is given. Takes an hour, and writes docs/results/prices.md. Needs no peers
  --rounds N    how often each cell is measured, by default 5; with fewer rounds, docs stay unchanged
  --seconds N   duration of each measurement, by default 2; at least 9 at 256 connections
  --only REGEX  cells whose name matches, even those that a full run omits; docs stay unchanged. With
                --prices, the mechanisms. Names:
                  SERVER/SURFACE/WORKLOAD/CONNECTIONS  ours or a peer of bench/peers, rest or graphql,
                                                       hot, mixed, get, create, ids, change, remove
                                                       or mix, 1, 32 or 256
                  growth/SURFACE-WORKLOAD/PETS         ours with 1000, 100000 or 1000000 animals
                  start                                the CPU time of a start
  --out FILE    where to write the raw figures, as JSON; relative to the repository's root

Exit codes: 0 done, 1 failed, 2 usage error.
`;

export const OPTIONS = {
  quick: { type: 'boolean', default: false },
  base: { type: 'string' },
  pairs: { type: 'string' },
  prices: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  only: { type: 'string' },
  out: { type: 'string' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

/** Minimum number of pairs of processes for writing docs/results/prices.md. */
export const ENOUGH_PAIRS = 5;

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly only: RegExp | undefined;
  readonly out: string | undefined;
}

/** What to measure. */
export type Mode =
  | ({ readonly kind: 'all' } & Options)
  | {
      readonly kind: 'quick';
      readonly base: string | undefined;
      readonly pairs: number | undefined;
    }
  | {
      readonly kind: 'prices';
      readonly only: RegExp | undefined;
      readonly pairs: number;
    };

/** @throws CommandFailure (2) */
export function readMode({ values }: Given<typeof OPTIONS>): Mode {
  const { quick, prices, base, out } = values;
  const only = values.only === undefined ? undefined : pattern(values.only);
  const pairs =
    values.pairs === undefined ? undefined : wholeNumber('--pairs', values.pairs, { most: 9999 });
  if (quick && prices) throw new CommandFailure(2, '--quick and --prices exclude each other');
  if (quick) return { kind: 'quick', base, pairs };
  if (prices) return { kind: 'prices', only, pairs: pairs ?? ENOUGH_PAIRS };
  if (pairs !== undefined) {
    throw new CommandFailure(2, '--pairs needs --quick or --prices; see --help');
  }
  const rounds = wholeNumber('--rounds', values.rounds, { most: 9999 });
  const seconds = wholeNumber('--seconds', values.seconds, { most: 9999 });
  return { kind: 'all', rounds, seconds, only, out };
}

/** @throws CommandFailure (2) */
function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new CommandFailure(2, '--only must be a regular expression; see --help');
  }
}
