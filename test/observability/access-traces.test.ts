import { expect, test } from 'vitest';
import { generateApiKey } from '../../src/auth/api-key.ts';
import { startTracedService } from '../support/traced-service.ts';

const { collector, key, traceOf } = await startTracedService();
const other = generateApiKey();

test.each([
  ['the one that is used', key],
  ['another one', other],
])('no trace has a key in it, %s, wherever it was sent', async (_which, sent) => {
  const query = `query ${sent} { pets { ...${sent} } } fragment ${sent} on Pet { id }`;
  const statuses = [
    (await traceOf(`/v1/pets/${sent}`)).status,
    (await traceOf(`/${sent}?key=${sent}`)).status,
    (await traceOf('/graphql', { method: 'POST', body: { query, operationName: sent } })).status,
    (await traceOf('/v1/pets', { headers: { Authorization: `Bearer ${sent}x`, Cookie: sent } }))
      .status,
    (await traceOf('/v1/pets', { headers: { 'User-Agent': sent, Baggage: `key=${sent}` } })).status,
  ];
  expect(statuses).toEqual([404, 404, 200, 401, 200]);
  // Of a name that was hidden, so that the right requests were looked at.
  expect(collector.received()).toContain('/v1/pets/asg_…');
  expect(collector.received()).not.toContain(sent.slice(8, 40));
});
