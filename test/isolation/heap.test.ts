import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { watchHeap } from './heap.ts';

const USED = 'v8js_memory_heap_used_bytes{service="store"} 50000000\n';

/** Tells these metrics, one after the other, and is gone then. */
async function startMetrics(...texts: readonly string[]) {
  const left = [...texts];
  const server = createServer((_request, response) => {
    const text = left.shift();
    if (text === undefined) {
      response.destroy();
    } else {
      response.end(text);
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

test('the most that was seen is told after the end', async () => {
  const heap = watchHeap(await startMetrics(USED, USED.replace('5', '7'), USED));
  heap.expectEnd();
  await expect.poll(heap.peak).toBe(70_000_000);
  await heap.over;
  expect(heap.peak()).toBe(70_000_000);
});

test.each([
  ['are gone before the end', [USED]],
  ['do not tell of it', ['v8js_memory_heap_limit_bytes 1\n']],
])('a heap is not known whose metrics %s', async (_what, texts) => {
  const heap = watchHeap(await startMetrics(...texts));
  await heap.over;
  expect(heap.peak()).toBeNaN();
});
