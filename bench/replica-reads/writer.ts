import { setTimeout } from 'node:timers/promises';
import { connect } from '../processes/postgres.ts';

/** Adds so many animals a second, one after the other, until it is disposed of. */
export async function startWriter(url: string, perSecond: number): Promise<AsyncDisposable> {
  const client = await connect(url);
  const over = new AbortController();
  const write = async () => {
    while (!over.signal.aborted) {
      await client.query("INSERT INTO pets (name, category_id, status) VALUES ('new', 1, 'sold')");
      await setTimeout(1000 / perSecond);
    }
  };
  const ended = perSecond === 0 ? undefined : write();
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await ended;
      await client.end();
    },
  };
}
