import { describe, expect, test } from 'vitest';
import { changesOf } from '../support/pet-changes.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
const { request } = gateway;
const { newPet, patch, remove, tagOf } = changesOf(gateway);

const key = () => ({ 'Idempotency-Key': crypto.randomUUID() });

describe('under one Idempotency-Key', () => {
  test('a change is made once, and answered alike later', async () => {
    const path = await newPet();
    const headers = key();
    const first = await Promise.all(
      Array.from({ length: 4 }, () => patch(path, '{"status":"pending"}', headers)),
    );
    expect(new Set(first.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await patch(path, '{"status":"sold"}');
    const again = await patch(path, '{"status":"pending"}', headers);
    expect([again.status, again.text]).toEqual([200, first[0]?.text]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect((await request(path)).text).toContain('"status":"sold"');
  });

  test('a removal is answered alike though the animal is gone', async () => {
    const path = await newPet();
    const headers = key();
    expect((await remove(path, headers)).status).toBe(204);
    const again = await remove(path, headers);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([204, 'true']);
    expect((await remove(path, key())).status).toBe(404);
  });

  test('a retry of a change with If-Match is answered though the tag is old by now', async () => {
    const path = await newPet();
    const tag = await tagOf(path);
    const headers = { ...key(), 'If-Match': tag };
    const first = await patch(path, '{"name":"Max"}', headers);
    const again = await patch(path, '{"name":"Max"}', headers);
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  });

  test('another change, another animal or another operation is refused', async () => {
    const [path, other] = [await newPet(), await newPet()];
    const headers = key();
    expect((await patch(path, '{"name":"Max"}', headers)).status).toBe(200);
    const refused = await Promise.all([
      patch(path, '{"name":"Moritz"}', headers),
      patch(other, '{"name":"Max"}', headers),
      remove(path, headers),
      request('/v1/pets', {
        method: 'POST',
        body: '{"name":"Max","categoryId":7}',
        headers: { 'Content-Type': 'application/json', ...headers },
      }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect((await request(path)).text).toContain('"name":"Max"');
    expect((await request(other)).text).toContain('"name":"Rex"');
  });

  test('a change of nothing leaves the key free', async () => {
    const path = await newPet();
    const headers = key();
    expect((await patch('/v1/pets/9223372036854775807', '{"name":"Max"}', headers)).status).toBe(
      404,
    );
    expect((await patch(path, '{"name":"Max"}', headers)).status).toBe(200);
  });
});
