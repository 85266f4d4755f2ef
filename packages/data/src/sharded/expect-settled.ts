import { setTimeout } from 'node:timers/promises';
import type { RunStatement, TableOptions } from '../statement.ts';

const PREPARED = {
  name: 'preparedTransactions',
  text: `
    SELECT success, result FROM run_command_on_workers(
      $$SELECT string_agg(gid, ' ') FROM pg_prepared_xacts WHERE database = current_database()$$)`,
};

const LOOKS = 30;
const INTERVAL_MS = 20;

/** Waits for the end of what is prepared on any worker. @throws what `transaction` throws if that takes too long */
export async function expectSettled({ transaction }: TableOptions): Promise<void> {
  await transaction('BEGIN', async (run) => {
    const seen = await namesOfPrepared(run);
    let left = seen;
    for (let look = 1; left.length > 0; look += 1) {
      if (look === LOOKS) {
        throw new Error('a Citus worker has not yet committed its prepared transactions');
      }
      await setTimeout(INTERVAL_MS);
      const names = await namesOfPrepared(run);
      left = seen.filter((name) => names.includes(name));
    }
    return seen;
  });
}

async function namesOfPrepared(run: RunStatement): Promise<readonly string[]> {
  const results = await run(PREPARED, []);
  return results.flatMap(([success, result]) => {
    if (success !== 't') {
      throw new Error(`could not list the prepared transactions of a Citus worker: ${result}`);
    }
    return result?.match(/\S+/g) ?? [];
  });
}
