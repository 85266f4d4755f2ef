import { SUCCESS_STATUSES, type Answer } from '../../support/ask.ts';
import type { StoreHistory } from '../../support/store-history/history.ts';
import { animalsIn } from '../../support/store-reads.ts';
import {
  animalCall,
  changeRequest,
  createRequest,
  removeRequest,
  requestFor,
  withHeaders,
  type Request,
  type Surface,
} from '../../support/store-requests.ts';

/** In the names of animals that clients change and remove. */
const OWN = 'changed';

interface ChangingClientOptions {
  readonly lastId: number;
  readonly history: Pick<StoreHistory, 'newest'>;
  /** Sends a request, by one gateway after the other. */
  readonly send: (turn: number, request: Request) => Promise<Answer>;
  /** Sends it until the answer is not 503. */
  readonly repeat: (turn: number, request: Request) => Promise<Answer>;
  /** What no other client and turn writes. */
  readonly unique: () => number;
}

export function isOfChangingClient(name: string): boolean {
  return name.includes(` ${OWN} `);
}

/**
 * Adds an animal, changes it by whichever surface with an idempotency key and as a change of the version that was read,
 * changes it without either, and removes every other one.
 *
 * @returns its id, for reads of it later
 */
export async function changeAnAnimal(
  turn: number,
  { lastId, history, send, repeat, unique }: ChangingClientOptions,
): Promise<number | undefined> {
  const by: Surface = turn % 2 === 0 ? 'REST' : 'GraphQL';
  const next = (status: string) => {
    const number = unique();
    return { name: `${status} ${OWN} ${lastId}-${number}`, categoryId: number };
  };
  const keyed = (request: Request) =>
    withHeaders(request, { 'Idempotency-Key': `${OWN}-${lastId}-${unique()}` });

  const created = await repeat(turn, keyed(createRequest(by, next('available'))));
  const id = SUCCESS_STATUSES.includes(created.status) ? animalsIn(created)[0]?.id : undefined;
  if (id === undefined) {
    return undefined;
  }
  await send(turn, requestFor({ by: 'GET /v1/pets/:id', id: id - lastId }, lastId));
  const expected = history.newest(animalCall('GET', id));
  const { categoryId, name } = next('pending');
  await repeat(turn + 1, keyed(changeRequest('REST', { id, writes: { name }, expected })));
  await repeat(turn, keyed(changeRequest(by, { id, writes: { categoryId } })));
  await send(turn + 1, changeRequest(by, { id, writes: next('sold') }));
  if (turn % 4 === 0) await repeat(turn, keyed(removeRequest(by, { id })));
  if (turn % 4 === 1) await send(turn, removeRequest(by, { id }));
  return id;
}
