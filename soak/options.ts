import type { parseArgs } from 'node:util';
import { type Given, wholeNumber } from '@store-gateway/ops/command-line';

/** Minimum minutes of a run whose results are written to docs/results/soak.md. */
export const FULL_LENGTH = 60;

/**
 * Maximum requests per second: while the database is unavailable, requests are open for up to 2 s each, and the gateway accepts
 * 1000 at a time (MAX_OPEN_REQUESTS). It is also below RATE_LIMIT's 1000 per second.
 */
const HIGHEST_RATE = 500;

export const HELP = `Runs the gateway under load for an hour, breaks something every minute, and tells how it bears that.

  npm run --silent soak
  npm run --silent soak -- --minutes 3 --interval 20

The load is the benchmark's mix on both surfaces: nine hot lists in ten, a few animals by their id, and creates with
an Idempotency-Key that are sent again until they are acknowledged. In turn the gateway is killed, its PostgreSQL
is killed, is frozen for 5 s, cuts all connections for 2 s, has its table locked for 5 s, and the gateway is restarted.
At the end each create is looked for in the database. It needs Linux. A run of ${FULL_LENGTH} minutes or more writes
docs/results/soak.md and soak.svg. Ctrl-C ends it and all that it started.

  --minutes N     how long, by default ${FULL_LENGTH}
  --interval N    seconds from one fault to the next, 15 or more, by default 60
  --rate N        requests per second, ${HIGHEST_RATE} at most, by default 300
  --database URL  an empty PostgreSQL database, instead of the embedded one: then it is neither killed nor frozen
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
