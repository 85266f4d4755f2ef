import { expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { startHeapService, type HeapService } from '../support/service.ts';
import { times } from '../../packages/graphql/test/things.ts';

/** Sends requests from several clients; resolves to the number of responses by status. */
async function sendAll(
  { url, key }: HeapService,
  requests: readonly (readonly [call: string, body?: object])[],
  clients = 4,
) {
  const statuses: Record<number, number> = {};
  const left = [...requests];
  const send = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { status } = await ask(url, key, ...next);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, send));
  return statuses;
}

function listOf<Item>(count: number, item: (number: number) => Item): Item[] {
  return Array.from({ length: count }, (_, number) => item(number));
}

const graphql = (query: string, variables: object) =>
  `GET /graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`;

/** Reads that no client has sent before, one of each kind. */
function reads(number: number): [call: string][] {
  return [
    [`GET /v1/pets?after=${number}`],
    [`GET /v1/pets?status=sold&limit=7&after=${number}`],
    [`GET /v1/pets/${number}`],
    [graphql('query ($after: ID) { pets(after: $after) { id } }', { after: number })],
    [graphql(`{ pets(after: ${number}) { id } }`, {})],
    [graphql(`query ($after: ID) { a${number}: pets(after: $after) { id } }`, { after: number })],
  ];
}

test('20,000 different reads do not leave data in memory', async () => {
  await using service = await startHeapService();
  const readAll = async (from: number, rounds: number) => {
    const requests = listOf(rounds, (number) => reads(from + number)).flat();
    expect(await sendAll(service, requests, 16)).toEqual({ 200: rounds * 5, 404: rounds });
  };
  // Fill the caches.
  await readAll(1_000_000, 1100);
  const before = await service.heapUsed();
  await readAll(2_000_000, 3334);
  // 150 bytes for each read. An in-flight read that is never forgotten takes more.
  expect((await service.heapUsed()) - before).toBeLessThan(3e6);
});

/** The bytes by which documents grow the heap. */
async function growthBy(count: number, document: (number: number) => string): Promise<number> {
  await using service = await startHeapService();
  const send = (documentOf: (number: number) => string) =>
    sendAll(
      service,
      listOf(count, (number) => ['POST /graphql', { query: documentOf(number) }]),
    );
  await send((number) => `{ z${number} }`);
  const before = await service.heapUsed();
  expect(await send(document)).toEqual({ 200: count });
  return (await service.heapUsed()) - before;
}

test.each<[string, number, (number: number) => string]>([
  // If all were kept, they would take 120 MB parsed, or 18 MB as text.
  [
    'with 1000 tokens',
    60e6,
    (number) => `{ a${number}: __typename ${times(900, (index) => `x${index}`)} }`,
  ],
  ['that do not parse', 9e6, (number) => `{ a${number}: } # ${'x'.repeat(90_000)}`],
])('200 documents %s take less than %d bytes of memory', async (_what, most, document) => {
  expect(await growthBy(200, document)).toBeLessThan(most);
});

test.each<[string, (number: number) => string]>([
  [
    'very many fields with the same name',
    (number) => `{ ${times(240, () => 'pets{id}')} x${number} }`,
  ],
  ['many fields with the same name', (number) => `{ ${times(60, () => 'pets{id}')} x${number} }`],
  ['unknown fields', (number) => `{ y${number} ${times(900, (index) => `x${index}`)} }`],
])('documents rejected for %s are not kept in memory', async (_what, document) => {
  // If errors kept their documents, these would take at least 12 MB.
  expect(await growthBy(300, document)).toBeLessThan(3e6);
});
