import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { giveKey, operation, send, tryOut } from './support/docs.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);

test('an animal that is created on the page is there, with all digits of its category', async () => {
  const { page } = await open('/docs#/animals/createPet');
  await giveKey(page, gateway.key);
  await tryOut(page, 'createPet');
  const body = `{ "name": "Exact", "categoryId": ${LARGEST} }`;
  await page.getByRole('textbox', { name: 'Request body' }).fill(body);
  expect(await send(page, 'createPet')).toContain(`"categoryId": ${LARGEST}`);
  const made = await gateway.database.$queryRaw`
    SELECT category_id FROM pets WHERE name = 'Exact'`;
  expect(made).toEqual([{ category_id: BigInt(LARGEST) }]);
});

test('the list has the digits of the response, its status and headers, and the default limit', async () => {
  await gateway.post('/v1/pets', `{ "name": "Listed", "categoryId": ${LARGEST} }`);
  const { page, requests } = await open('/docs#/animals/listPets');
  await giveKey(page, gateway.key);
  await tryOut(page, 'listPets');
  const shown = await send(page, 'listPets');
  expect(shown).toContain(`"name": "Listed",\n    "categoryId": ${LARGEST},`);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets?limit=20`);
  const opened = operation(page, 'listPets');
  expect(await opened.getByRole('status').innerText()).toMatch(
    /^Success 200 OK · \d+ ms · GET http/,
  );
  await opened.getByText('Response headers').click();
  expect(await opened.locator('.received pre').innerText()).toContain('etag: "');
});

test('without a key that works, the form says so, and shows what the service responds', async () => {
  const { page, complaints } = await open('/docs#/animals/listPets');
  await page.getByLabel('API key').fill(`asg_${'x'.repeat(49)}`);
  await page.getByText('The API key is not valid.').waitFor();
  await tryOut(page, 'listPets');
  const hint = operation(page, 'listPets').getByText('Without an API key');
  await hint.waitFor();
  expect(await send(page, 'listPets')).toContain('"code": "UNAUTHENTICATED"');
  expect(complaints.splice(0)).toEqual([
    expect.stringContaining('401'),
    expect.stringContaining('401'),
  ]);
  await giveKey(page, gateway.key);
  await hint.waitFor({ state: 'hidden' });
  expect(await send(page, 'listPets')).toMatch(/^\[/);
});

test('with PUBLIC_URL, samples name it, and the form sends to where the page is', async () => {
  const told = await startGateway({ publicUrl: 'https://shop.example/store' });
  const { page, requests } = await open('/docs');
  await page.route('**/docs', async (route) => {
    await route.fulfill({ response: await route.fetch({ url: `${told.url}/docs` }) });
  });
  await page.reload();
  await giveKey(page, gateway.key);
  for (const language of ['curl', 'JavaScript', 'Python', 'Go']) {
    const sample = operation(page, 'listPets').locator(`[data-language=${language}]`);
    expect(await sample.textContent()).toContain('https://shop.example/store/v1/pets?limit=20');
  }
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toMatch(/^\[/);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets?limit=20`);
  expect(await page.content()).not.toContain('BASE_URL');
});

test('what came for a request sent before is not shown for this one', async () => {
  const { page } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'listPets');
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/pets?limit=1', async (route) => {
    await promise;
    await route.fulfill({ body: '["late"]' }).catch(() => undefined);
  });
  const limit = operation(page, 'listPets').getByLabel('limit');
  await limit.fill('1');
  await operation(page, 'listPets').getByRole('button', { name: 'Send' }).click();
  await limit.fill('2');
  const late = page.waitForEvent('requestfailed');
  expect(await send(page, 'listPets')).toMatch(/^\[/);
  resolve();
  await late;
  expect(await operation(page, 'listPets').getByRole('status').innerText()).toContain('limit=2');
});

test('the colours of responses that were replaced are not kept', async () => {
  const { page } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'getPet');
  await gateway.post('/v1/pets', { name: 'Coloured', categoryId: 1 });
  await operation(page, 'getPet').getByLabel('petId').fill('1');
  const coloured = () => page.evaluate<number>(`CSS.highlights.get('string').size`);
  expect(await send(page, 'getPet')).toContain('"name"');
  const once = await coloured();
  for (const _ of '123') {
    expect(await send(page, 'getPet')).toContain('"name"');
  }
  expect(await coloured()).toBe(once);
});

test('a path parameter that is missing is asked for', async () => {
  const { page, requests } = await open('/docs');
  await tryOut(page, 'getPet');
  await operation(page, 'getPet').getByLabel('petId').fill('');
  const before = requests.length;
  await operation(page, 'getPet').getByRole('button', { name: 'Send' }).click();
  expect(await operation(page, 'getPet').locator('input:invalid').count()).toBe(1);
  expect(requests.slice(before)).toEqual([]);
});

test('markup in responses, fragments and queries stays text', async () => {
  const markup = `<img src=x onerror='document.title="run"'></script>\u202E`;
  await gateway.post('/v1/pets', { name: markup, categoryId: 1 });
  const { page } = await open(`/docs?${encodeURIComponent(markup)}#/animals/${markup}`);
  await giveKey(page, gateway.key);
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toContain(JSON.stringify(markup));
  expect(await page.title()).toMatch(/^REST documentation/);
  expect(await page.locator('img').count()).toBe(0);
});
