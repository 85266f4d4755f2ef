import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const { tables, moved, send } = await startMeasuredGateway();

const labels = (keyId: string) => `animal_store_deprecated_calls_total{key_id=${keyId} field=pet}`;

/** Sends a deprecated call with each of these keys. */
async function ask(callers: readonly string[]): Promise<void> {
  // The service can look up only so many keys at a time.
  for (let first = 0; first < callers.length; first += 20) {
    const sent = callers
      .slice(first, first + 20)
      .map((caller) => send('/v1/pets/0', { headers: { Authorization: `Bearer ${caller}` } }));
    expect(new Set(await Promise.all(sent))).toEqual(new Set([404]));
  }
}
test('deprecated calls are counted separately for the first 200 keys and together for all other keys', async () => {
  const keys = Array.from({ length: 203 }, generateApiKey);
  await tables.apiKey.createMany({
    data: keys.map((key) => ({ name: 'test', hash: hashApiKey(key) })),
  });

  const counted = await moved(/^animal_store_deprecated_calls/, async () => {
    await ask(keys.slice(0, 200));
    await ask(keys.slice(200));
    // A key that is counted separately stays so.
    await ask(keys.slice(0, 1));
  });
  // The service's first key has the id 1.
  const expected = Array.from(
    { length: 200 },
    (_, index) => [labels(String(index + 2)), 1] as const,
  );
  expect(counted).toEqual({
    ...Object.fromEntries(expected),
    [labels('2')]: 2,
    [labels('other')]: 3,
  });
});
