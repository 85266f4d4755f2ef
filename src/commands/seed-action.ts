import type { Database } from '../database/client.ts';
import { errorCode } from '@gateway/errors/coded-error';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Action } from './on-database.ts';
import type { Animals } from './plausible-animals.ts';
import { progressBar } from '@gateway/command-line/progress-bar';

/** Some 20 ms of work: far below the time that a statement may take, and soon over at Ctrl-C. */
const BATCH = 2000;

/** Adds so many animals, batch by batch: whatever ends it early, the batches before stay. */
export function seedAction(count: number): Action {
  return async (database, { stderr, interrupted }) => {
    const { plausibleAnimals } = await loadAnimals();
    const nextAnimals = plausibleAnimals();
    const bar = progressBar(stderr, count);
    let added = 0;
    try {
      while (added < count && !interrupted.aborted) {
        bar.show(added);
        added += await addAnimals(database, nextAnimals(Math.min(BATCH, count - added)));
      }
    } catch (error) {
      if (errorCode(error) === undefined || !(error instanceof Error)) {
        throw error;
      }
      throw new CommandFailure(1, `${error.message} ${told(added, count)}`);
    } finally {
      bar.clear();
    }
    if (added < count) {
      throw new CommandFailure(1, `interrupted; ${told(added, count)}`);
    }
    return `added ${number(count)} animals\n`;
  };
}

/** What makes the animals up is a development dependency. */
async function loadAnimals() {
  try {
    return await import('./plausible-animals.ts');
  } catch (error) {
    throw new CommandFailure(1, 'this needs the development dependencies: run npm ci', {
      cause: error,
    });
  }
}

/** One statement, so all of them or none. Ten times as fast as Prisma's createMany. */
function addAnimals(
  database: Database,
  { names, categoryIds, statuses }: Animals,
): Promise<number> {
  return database.$executeRaw`
    INSERT INTO pets (name, category_id, status)
    SELECT * FROM unnest(${names}::text[], ${categoryIds}::bigint[], ${statuses}::pet_status[])`;
}

function told(added: number, count: number): string {
  return `${number(added)} of ${number(count)} animals were added; they stay`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
