import { request } from 'node:http';
import { onTestFinished } from 'vitest';

/** Begins the names of their animals. */
const LONER = 'loner ';

/** Whether a caller of startLoners has added the animal of this name. */
export const isOfLoner = (name: string): boolean => name.startsWith(LONER);

/** Sends a POST on a connection of its own; resolves to its status, or to what went wrong. */
function postAlone(url: string, key: string, name: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    request(`${url}/v1/pets`, { method: 'POST', headers, agent: false })
      .once('error', (error) => {
        resolve(error.message);
      })
      .once('response', (answer) => {
        answer.resume().once('end', () => {
          resolve(answer.statusCode ?? 0);
        });
      })
      .end(JSON.stringify({ name, categoryId: 1 }));
  });
}

/** Callers who make a connection for each animal that they add, until they are told to end, or the test is over. */
export function startLoners(url: string, key: string) {
  const answers: { readonly name: string; readonly outcome: number | string }[] = [];
  const ending = new AbortController();
  const run = async (caller: number) => {
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      const name = `${LONER}${caller} ${turn}`;
      answers.push({ name, outcome: await postAlone(url, key, name) });
    }
  };
  const callers = Promise.all([1, 2, 3, 4].map(run));
  const end = async () => {
    ending.abort();
    await callers;
  };
  onTestFinished(end);
  return { answers, end };
}
