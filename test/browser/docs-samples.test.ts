import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { giveKey, operation, send, tryOut } from './support/docs.ts';

const LARGEST = '9223372036854775807';
const LANGUAGES = ['curl', 'JavaScript', 'Python', 'Go'];

const gateway = await startGateway();
const open = await startBrowser(gateway);

function sample(page: Page, name: string, language: string): Promise<string | null> {
  return operation(page, name).locator(`[data-language=${language}]`).textContent();
}

function keyField(page: Page) {
  return operation(page, 'createPet').getByLabel('Idempotency-Key');
}

test('samples have what is typed into the form: path, query and headers', async () => {
  const { page } = await open('/docs');
  await tryOut(page, 'listPets');
  await tryOut(page, 'getPet');
  const list = operation(page, 'listPets');
  await list.getByLabel('limit').fill('5');
  await list.getByLabel('status').selectOption('sold');
  await list.getByLabel('If-None-Match').fill(`"it's"`);
  await operation(page, 'getPet').getByLabel('petId').fill(LARGEST);
  for (const language of LANGUAGES) {
    const listed = await sample(page, 'listPets', language);
    expect(listed).toContain(`${gateway.url}/v1/pets?limit=5&status=sold`);
    expect(listed).toContain('If-None-Match');
    expect(await sample(page, 'getPet', language)).toContain(`${gateway.url}/v1/pets/${LARGEST}`);
  }
  expect(await sample(page, 'listPets', 'curl')).toContain(
    String.raw`-H 'If-None-Match: "it'\''s"'`,
  );
  await list.getByLabel('limit').fill('');
  await list.getByLabel('status').selectOption('');
  expect(await sample(page, 'listPets', 'curl')).toContain(`'${gateway.url}/v1/pets' \\`);
});

test('samples have the body as it is typed, on one line, and any other text as it is', async () => {
  const { page } = await open('/docs');
  await tryOut(page, 'createPet');
  const body = operation(page, 'createPet').getByLabel('Request body');
  await body.fill(`{\n  "name": "a  b",\n  "categoryId": ${LARGEST}\n}`);
  for (const language of LANGUAGES) {
    expect(await sample(page, 'createPet', language)).toContain(
      `{ "name": "a  b", "categoryId": ${LARGEST} }`,
    );
  }
  await body.fill('not\nJSON');
  expect(await sample(page, 'createPet', 'curl')).toContain(`-d 'not\nJSON'`);
  expect(await sample(page, 'createPet', 'JavaScript')).toContain(String.raw`body: 'not\nJSON'`);
});

test('sample and request have the same new Idempotency-Key, and after a success another', async () => {
  const { page } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'createPet');
  const first = await keyField(page).inputValue();
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(await sample(page, 'createPet', 'Go')).toContain(`"Idempotency-Key", "${first}"`);
  const sent = page.waitForRequest('**/v1/pets');
  expect(await send(page, 'createPet')).toContain('"id"');
  expect((await sent).headers()['idempotency-key']).toBe(first);
  const second = await keyField(page).inputValue();
  expect(second).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
  const shown = await sample(page, 'createPet', 'Go');
  expect(shown).toContain(second);
  expect(shown).not.toContain(first);
  const { page: other } = await open('/docs');
  await tryOut(other, 'createPet');
  expect(await keyField(other).inputValue()).not.toBe(second);
});

test('after a failure, the Idempotency-Key stays', async () => {
  const { page, complaints } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'createPet');
  const key = await keyField(page).inputValue();
  await operation(page, 'createPet').getByLabel('Request body').fill('{}');
  expect(await send(page, 'createPet')).toContain('BAD_USER_INPUT');
  expect(await keyField(page).inputValue()).toBe(key);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
});
