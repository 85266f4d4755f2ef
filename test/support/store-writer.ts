import type { Write } from './store-schedule.ts';
import type { StoreHistory } from './store-history/history.ts';
import type { Representation } from './store-history/representations.ts';
import type { Writes } from './store-history/rows.ts';
import {
  animalCall,
  changeRequest,
  createRequest,
  removeRequest,
  requestFor,
  withHeaders,
  type Request,
} from './store-requests.ts';

/** Sends a request to one of the gateways, or the one after it, and records what comes of it. */
export type Send = (turn: number, request: Request) => Promise<unknown>;

/**
 * Writes what a schedule has.
 *
 * @param send where this may be written; resolves once it is answered
 */
export type Writer = (wanted: Write, send: Send) => Promise<void>;

const OTHER = { name: 'categoryId', categoryId: 'name', both: undefined } as const;

export function createWriter(
  { ids, newest }: Pick<StoreHistory, 'ids' | 'newest'>,
  lastId: number,
): Writer {
  let count = 0;
  /** What nobody has written before. */
  const next = (status: string): Required<Writes> => {
    count += 1;
    return { name: `${status} ${count}`, categoryId: count };
  };

  return async (wanted, send) => {
    const { gateway, isConditional, isRepeated, by } = wanted;
    const known = ids();
    const id = known[wanted.animal % known.length];
    let expected: Representation | undefined;
    if (id !== undefined && isConditional && by === 'REST' && wanted.does !== 'create') {
      await send(gateway, requestFor({ by: 'GET /v1/pets/:id', id: id - lastId }, lastId));
      expected = newest(animalCall('GET', id));
    }
    const rivals = Array.from({ length: wanted.rivals }, async (_none, rival) => {
      // Every other one changes what the one before has left.
      const leaves = rival % 2 === 0 ? wanted.leaves : OTHER[wanted.leaves ?? 'both'];
      const request = requestOf({ ...wanted, leaves }, next(wanted.status), id, expected);
      const key = { 'Idempotency-Key': `write-${count}` };
      const sent = isRepeated ? [withHeaders(request, key), withHeaders(request, key)] : [request];
      await Promise.all(sent.map((each, copy) => send(gateway + rival + copy, each)));
    });
    await Promise.all(rivals);
  };
}

/** A change of an animal, as long as there is one; else a create. */
function requestOf(
  { does, by, leaves }: Write,
  { name, categoryId }: Required<Writes>,
  id: number | undefined,
  expected: Representation | undefined,
): Request {
  if (does === 'create' || id === undefined) {
    return createRequest(by, { name, categoryId });
  }
  if (does === 'remove') {
    return removeRequest(by, { id, expected });
  }
  const writes = {
    ...(leaves !== 'name' && { name }),
    ...(leaves !== 'categoryId' && { categoryId }),
  };
  return changeRequest(by, { id, writes, expected });
}
