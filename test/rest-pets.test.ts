import { expect, test } from 'vitest';
import { startGateway } from './support/gateway.ts';

const { post, request } = await startGateway();

test('an animal that was added is fetched by its id', async () => {
  const added = await post('/v1/pets', '{"name":"Rex","categoryId":9223372036854775807}');
  expect(added.status).toBe(201);
  const fetched = await request(added.headers.get('Location') ?? '');
  expect(fetched.text).toBe(added.text);
});
