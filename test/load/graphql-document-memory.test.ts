import { afterAll, expect, test } from 'vitest';
import { startHeapService } from '../support/heap-service.ts';
import { ask } from '../support/ask.ts';

const DOCUMENTS = 200;
const CALLERS = 4;

const service = await startHeapService();
afterAll(() => service[Symbol.asyncDispose]());

/** Sends as many documents, each once. */
async function sendAll(document: (number: number) => string): Promise<void> {
  const numbers = Array.from({ length: DOCUMENTS }, (_, index) => index);
  const send = async () => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const { status } = await ask(service.url, service.key, 'POST /graphql', {
        query: document(number),
      });
      expect(status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, send));
}

const MANY_FIELDS = Array.from({ length: 900 }, (_, index) => `x${index}`).join(' ');

test.each([
  // Kept parsed, as many take 120 MB, or 18 MB as texts.
  ['of 1000 tokens', 60e6, (number: number) => `{ a${number}: __typename ${MANY_FIELDS} }`],
  ['that do not parse', 9e6, (number: number) => `{ a${number}: } # ${'x'.repeat(90_000)}`],
])('documents %s don’t fill the memory', async (_what, most, document) => {
  await sendAll((number) => `{ b${number}: __typename }`);
  const before = await service.heapUsed();
  await sendAll(document);
  expect((await service.heapUsed()) - before).toBeLessThan(most);
});
