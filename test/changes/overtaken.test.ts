import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { changesOf, idIn } from '../support/pet-changes.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
const { newPet, patch } = changesOf(gateway);

test('a change with an idempotency key that waited for a concurrent change is made once, even if repeated', async () => {
  const path = await newPet();
  const headers = { 'Idempotency-Key': crypto.randomUUID(), 'If-None-Match': '"another"' };
  const sell = () => patch(path, '{"status":"sold"}', headers);
  const other = await connectClient(gateway.databaseUrl);
  await other.query('BEGIN');
  await other.query('UPDATE pets SET name = $1 WHERE id = $2', ['Moritz', idIn(path)]);
  const sold = sell();
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  await other.query('COMMIT');
  const first = await sold;
  expect(first.json).toMatchObject({ name: 'Moritz', status: 'sold' });
  await patch(path, '{"status":"pending"}');
  const again = await sell();
  expect([again.text, again.headers.get('Idempotent-Replayed')]).toEqual([first.text, 'true']);
  expect((await gateway.request(path)).json).toMatchObject({ status: 'pending' });
});
