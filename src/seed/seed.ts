import {
  type Gateway,
  EXIT_CODES,
  onDatabase,
  VARIABLE_NAMES,
  WHICH_STORE,
  type Action,
} from '@store-gateway/gateway';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { errorCode } from '@store-gateway/ops/errors';
import {
  CommandFailure,
  type Command,
  progressBar,
  rejectPositionals,
} from '@store-gateway/ops/command-line';

const HELP = `Adds sample animals to the store, to try it out.

  npm run --silent seed -- COUNT

COUNT is 1 to 10000000. Each run adds the same animals to the existing ones, about 100,000 a second. Ctrl-C
stops it and keeps those already added. Not available after npm ci --omit=dev.
${WHICH_STORE}

${EXIT_CODES}
`;

const MAXIMUM = 10_000_000;

/**
 * Number of animals per batch. A batch takes about 20 ms: far less than the statement timeout, and short enough for Ctrl-C to
 * take effect quickly.
 */
const BATCH_SIZE = 2000;

export const seed = (gateway: Gateway<PrismaClient>): Command => ({
  name: 'seed',
  help: HELP,
  options: {},
  variables: VARIABLE_NAMES,
  read: ({ positionals: [count = '', ...rest] }) => {
    rejectPositionals(rest);
    if (!/^[1-9]\d{0,7}$/.test(count) || Number(count) > MAXIMUM) {
      throw new CommandFailure(2, `COUNT must be an integer from 1 to ${MAXIMUM}; see --help`);
    }
    return onDatabase(gateway, addPlausible(Number(count)), {
      purpose: 'seed',
      mayMakeStore: true,
    });
  },
});

/** Adds a number of animals in batches. Completed batches remain even if a later one fails or is interrupted. */
function addPlausible(count: number): Action<PrismaClient> {
  return async (database, { stderr, interrupted }) => {
    // Imported here, because the generator needs a development dependency.
    const { plausibleAnimals } = await import('./plausible-animals.ts').catch((cause: unknown) => {
      throw new CommandFailure(1, 'sample animals need the development dependencies: run npm ci', {
        cause,
      });
    });
    const nextAnimals = plausibleAnimals();
    const showProgress = progressBar(stderr, count);
    let added = 0;
    const outcome = () =>
      `${number(added)} of ${number(count)} animals were added and remain in the store`;
    try {
      while (added < count && !interrupted.aborted) {
        showProgress(added);
        const { names, categoryIds, statuses } = nextAnimals(Math.min(BATCH_SIZE, count - added));
        // Ten times as fast as Prisma's createMany.
        added += await database.$executeRaw`
          INSERT INTO pets (name, category_id, status)
          SELECT * FROM unnest(${names}::text[], ${categoryIds}::bigint[], ${statuses}::pet_status[])`;
      }
    } catch (error) {
      if (errorCode(error) === undefined || !(error instanceof Error)) {
        throw error;
      }
      throw new CommandFailure(1, `${error.message} ${outcome()}`);
    } finally {
      showProgress();
    }
    if (added < count) {
      throw new CommandFailure(1, `interrupted; ${outcome()}`);
    }
    return `added ${number(count)} animals\n`;
  };
}

function number(value: number): string {
  return value.toLocaleString('en');
}
