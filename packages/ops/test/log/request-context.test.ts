import { expect, test } from 'vitest';
import {
  addWait,
  nameOperation,
  outsideRequest,
  type RequestContext,
  requestContext,
} from '../../src/log/request-context.ts';

test('what is known of a request is noted in its context', () => {
  const request: RequestContext = { id: 'request' };
  requestContext.run(request, () => {
    nameOperation('listThings');
    addWait(2);
    addWait(0);
    addWait(3);
  });
  expect(request).toEqual({ id: 'request', operation: 'listThings', waitedMs: 5 });
});

test('outside a request nothing is noted, nor where its context was left', async () => {
  const request: RequestContext = { id: 'request' };
  nameOperation('nobody asked');
  const context = requestContext.run(request, () =>
    outsideRequest(() => {
      nameOperation('later');
      return requestContext.getStore();
    }),
  );
  expect([context, request]).toEqual([undefined, { id: 'request' }]);
});
