import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { idIn, operation, sendNamed } from '../support/named-request.ts';

const gateway = await startGateway();

const send = (key: string, query: string) => sendNamed(gateway, { key, ...operation(query) });

const create = (alias: string, name: string) =>
  `${alias}createPet(input: { name: "${name}", categoryId: 1 }) { id }`;

const both = (names: readonly string[]) =>
  `mutation { ${names.map((name, index) => create(`a${index}: `, name)).join(' ')} }`;

test('the header names the request, whatever an addition is called in its answer', async () => {
  const key = randomUUID();
  const once = await send(key, `mutation { ${create('', 'Rex')} }`);
  expect(idIn(await send(key, `mutation { ${create('again: ', 'Rex')} }`))).toBe(idIn(once));
  const other = await send(key, `mutation { ${create('other: ', 'Ida')} }`);
  expect(other.text).toContain('"code":"IDEMPOTENCY_KEY_REUSED"');
});

test('what is added second is told apart by its place, and is no animal of another key', async () => {
  const key = randomUUID();
  const once = await send(key, both(['Rex', 'Ida']));
  expect((await send(key, both(['Rex', 'Ida']))).text).toBe(once.text);
  const swapped = await send(key, both(['Ida', 'Rex']));
  expect(swapped.text).toContain('"code":"IDEMPOTENCY_KEY_REUSED"');
  const second = await send(key, both(['Rex', 'Eve']));
  expect(second.text).toContain('"path":["a1"]');
});

test('a long alias is as good as a short one, for its caller and for all who ask at the time', async () => {
  // What cannot be compressed: PostgreSQL takes so much less into an index.
  const alias = Array.from({ length: 150 }, () => `a${randomUUID().replaceAll('-', '')}`).join('');
  const answers = await Promise.all([
    send(randomUUID(), `mutation { ${create('', 'Eve')} ${create(`${alias}: `, 'Rex')} }`),
    ...Array.from({ length: 20 }, () => send(randomUUID(), `mutation { ${create('', 'Ida')} }`)),
  ]);
  expect(answers.map(({ status, text }) => [status, text.includes('errors')])).toEqual(
    answers.map(() => [200, false]),
  );
});
