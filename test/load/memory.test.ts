import { Agent, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startHeapService } from '../support/heap-service.ts';

/** Bytes: 150 for each read. A flight that is not forgotten takes more. */
const SMALL = 3_000_000;
const CALLERS = 16;

const service = await startHeapService();
const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
afterAll(async () => {
  agent.destroy();
  await service[Symbol.asyncDispose]();
});

async function statusOf(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${service.key}` };
    request(service.url + path, { agent, headers }, (response) => {
      response
        .resume()
        .once('end', () => {
          resolve(response.statusCode ?? 0);
        })
        .once('error', reject);
    })
      .once('error', reject)
      .end();
  });
}

function graphql(query: string, variables: object): string {
  return `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`;
}

/** Reads that nobody has asked for before, of each kind one. */
function reads(number: number): string[] {
  return [
    `/v1/pets?after=${number}`,
    `/v1/pets?status=sold&limit=7&after=${number}`,
    `/v1/pets/${number}`,
    graphql('query ($after: ID) { pets(after: $after) { id } }', { after: number }),
    graphql(`{ pets(after: ${number}) { id } }`, {}),
    graphql(`query ($after: ID) { a${number}: pets(after: $after) { id } }`, { after: number }),
  ];
}

/** Sends rounds of reads, with numbers from `from` on. */
async function readAll(from: number, rounds: number): Promise<void> {
  const paths = Array.from({ length: rounds }, (_, index) => reads(from + index)).flat();
  const statuses = new Map<number, number>();
  const send = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const status = await statusOf(path);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, send));
  expect(Object.fromEntries(statuses)).toEqual({ 200: rounds * 5, 404: rounds });
}

test('20,000 different reads leave nothing behind', async () => {
  // Until caches are full.
  await readAll(1_000_000, 1100);
  const before = await service.heapUsed();
  await readAll(2_000_000, 3334);
  expect((await service.heapUsed()) - before).toBeLessThan(SMALL);
});
