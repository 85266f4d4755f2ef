import type { parseArgs } from 'node:util';
import { type Given, wholeNumber } from '@store-gateway/ops/command-line';

/** Minimum minutes of a run whose results are written to docs/results/soak.md. */
export const FULL_LENGTH = 60;

/**
 * Maximum requests per second: while the database is unavailable, requests are open for up to 2 s each, and the gateway accepts
 * 1000 at a time (MAX_OPEN_REQUESTS). It is also below RATE_LIMIT's 1000 per second.
 */
const HIGHEST_RATE = 500;

export const HELP = `Runs the gateway under load for an hour, injects a fault every minute, and reports how it recovers.

  npm run --silent soak
  npm run --silent soak -- --minutes 3 --interval 20

The load is the benchmark's mix on both APIs: nine in ten requests are hot lists, the others get animals by id, or
create animals with an Idempotency-Key and are retried until they are acknowledged. The faults, in turn: the gateway
is killed; its PostgreSQL is killed; it is frozen for 5 s; it cuts all connections for 2 s; its table is locked for
5 s; the gateway is restarted. At the end, each create is looked up in the database. Needs Linux. A run of
${FULL_LENGTH} minutes or more writes docs/results/soak.md and soak.svg. Ctrl-C stops it and everything that it has started.

  --minutes N     duration of the run, by default ${FULL_LENGTH}
  --interval N    seconds from one fault to the next, 15 or more, by default 60
  --rate N        requests per second, ${HIGHEST_RATE} at most, by default 300
  --database URL  an empty PostgreSQL database, instead of the embedded one; it is neither killed nor frozen
  --out FILE      where to write the raw figures, as JSON; relative to the repository's root

Exit codes: 0 done, 1 failed, 2 usage error.
`;

export const OPTIONS = {
  minutes: { type: 'string', default: String(FULL_LENGTH) },
  interval: { type: 'string', default: '60' },
  rate: { type: 'string', default: '300' },
  database: { type: 'string' },
  out: { type: 'string' },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

export interface Options {
  readonly minutes: number;
  /** Seconds. */
  readonly interval: number;
  /** Requests per second. */
  readonly rate: number;
  readonly databaseUrl: string | undefined;
  readonly out: string | undefined;
}

/** @throws CommandFailure (2) */
export function readOptions({ values }: Given<typeof OPTIONS>): Options {
  return {
    minutes: wholeNumber('--minutes', values.minutes, { most: 9999 }),
    interval: wholeNumber('--interval', values.interval, { least: 15, most: 9999 }),
    rate: wholeNumber('--rate', values.rate, { most: HIGHEST_RATE }),
    databaseUrl: values.database,
    out: values.out,
  };
}
