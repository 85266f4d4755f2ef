import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { callEngine } from '../src/prisma-internals.ts';
import { openClients } from './clients.ts';

const { engine, batched, under, answeredBy } = await openClients();

const MODELS = [
  ['withCuid', /^c[\da-z]{24}$/],
  ['withCuid2', /^[a-z][\da-z]{23}$/],
  ['withNanoid', /^[\w-]{21}$/],
  ['withUlid', /^[0-7][\dA-HJKMNP-TV-Z]{25}$/],
  ['withUuid7', /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
] as const;
const CREATES = 50;

/** Creates a row of a model. @returns its id */
async function createdBy(client: object, model: string): Promise<string> {
  const row = await callEngine(client, model, 'create', { data: { name: 'x' } });
  return row instanceof Object ? String(Reflect.get(row, 'id')) : '';
}

test.each(MODELS)(
  "statements generate ids for %s in the format of Prisma's client, even with an idempotency key",
  async (model, form) => {
    answeredBy.length = 0;
    const ids = await Promise.all(Array.from({ length: CREATES }, () => createdBy(batched, model)));
    expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
    expect(new Set(ids).size).toBe(CREATES);
    expect(ids.filter((id) => !form.test(id))).toEqual([]);

    const key = randomUUID();
    const once = await createdBy(under(key), model);
    expect(once).toMatch(form);
    expect(await createdBy(under(key), model)).toBe(once);
  },
);

test.each(['withUlid', 'withUuid7', 'withCuid'])(
  "time-ordered ids for %s sort after ids that Prisma's client generated earlier",
  async (model) => {
    const byClient = await createdBy(engine, model);
    expect((await createdBy(batched, model)).slice(0, 6) >= byClient.slice(0, 6)).toBe(true);
  },
);
