import { expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { startHeapService, type HeapService } from '../support/heap-service.ts';
import { times } from '../support/large-documents.ts';

const DOCUMENTS = 300;
/** Bytes. If documents stayed with their errors, they would take 12 MB and more. */
const NOTHING = 3e6;

async function refuseAll(
  service: HeapService,
  document: (number: number) => string,
): Promise<void> {
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const { text } = await ask(service.url, service.key, 'POST /graphql', {
      query: document(number),
    });
    expect(text).toContain('GRAPHQL_VALIDATION_FAILED');
  }
}

test.each<[string, (number: number) => string]>([
  ['very many fields of a name', (number) => `{ ${times(240, () => 'pets{id}')} x${number} }`],
  ['many fields of a name', (number) => `{ ${times(60, () => 'pets{id}')} x${number} }`],
  ['unknown fields', (number) => `{ y${number} ${times(900, (index) => `x${index}`)} }`],
])('nothing is kept of documents that are refused for %s', async (_what, document) => {
  await using service = await startHeapService();
  await refuseAll(service, (number) => `{ z${number} }`);
  const before = await service.heapUsed();
  await refuseAll(service, document);
  expect((await service.heapUsed()) - before).toBeLessThan(NOTHING);
});
