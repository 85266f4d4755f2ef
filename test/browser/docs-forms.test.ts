import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { operation, send, tryOut } from './support/docs.ts';
import { typeKey } from './support/playground.ts';

const LARGEST = '9223372036854775807';
const LANGUAGES = ['curl', 'JavaScript', 'Python', 'Go'];

const gateway = await startGateway();
const open = await startBrowser(gateway);

/** Opens /docs with a valid key and an operation's form. */
async function openForm(name: string) {
  const opened = await open('/docs');
  await typeKey(opened.page, gateway.key);
  await tryOut(opened.page, name);
  return opened;
}

const press = (page: Page, name: string) =>
  operation(page, name).getByRole('button', { name: 'Send' }).click();

test('an animal that is created in /docs is stored with all digits of its numbers', async () => {
  const { page } = await openForm('createPet');
  const body = `{ "name": "Exact", "categoryId": ${LARGEST} }`;
  await page.getByRole('textbox', { name: 'Request body' }).fill(body);
  expect(await send(page, 'createPet')).toContain(`"categoryId": ${LARGEST}`);
  const made = await gateway.database.$queryRaw`
    SELECT category_id FROM pets WHERE name = 'Exact'`;
  expect(made).toEqual([{ category_id: BigInt(LARGEST) }]);
});

test('a form in /docs shows the response with all digits, its status and its headers', async () => {
  await gateway.post('/v1/pets', `{ "name": "Listed", "categoryId": ${LARGEST} }`);
  const { page, requests } = await openForm('listPets');
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

test('without a valid key, a form in /docs says so and still shows the service’s response', async () => {
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
  await typeKey(page, gateway.key);
  await hint.waitFor({ state: 'hidden' });
  expect(await send(page, 'listPets')).toMatch(/^\[/);
});

test('with PUBLIC_URL, samples in /docs use it, but forms send requests to the page’s own origin', async () => {
  const told = await startGateway({ publicUrl: 'https://shop.example/store' });
  const { page, requests } = await open('/docs');
  await page.route('**/docs', async (route) => {
    await route.fulfill({ response: await route.fetch({ url: `${told.url}/docs` }) });
  });
  await page.reload();
  await typeKey(page, gateway.key);
  for (const language of LANGUAGES) {
    const shown = await sample(page, 'listPets', language);
    expect(shown).toContain('https://shop.example/store/v1/pets?limit=20');
  }
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toMatch(/^\[/);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets?limit=20`);
  expect(await page.content()).not.toContain('BASE_URL');
});

test('a late response to an earlier request does not replace that of a later request', async () => {
  const { page } = await openForm('listPets');
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/pets?limit=1', async (route) => {
    await promise;
    await route.fulfill({ body: '["late"]' }).catch(() => undefined);
  });
  const limit = operation(page, 'listPets').getByLabel('limit');
  await limit.fill('1');
  await press(page, 'listPets');
  await limit.fill('2');
  const late = page.waitForEvent('requestfailed');
  expect(await send(page, 'listPets')).toMatch(/^\[/);
  resolve();
  await late;
  expect(await operation(page, 'listPets').getByRole('status').innerText()).toContain('limit=2');
});

test('the syntax highlights of replaced responses are removed', async () => {
  const { page } = await openForm('getPet');
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

test('markup in responses, fragments and query strings is shown as text in /docs', async () => {
  const markup = `<img src=x onerror='document.title="run"'></script>\u202E`;
  await gateway.post('/v1/pets', { name: markup, categoryId: 1 });
  const { page } = await open(`/docs?${encodeURIComponent(markup)}#/animals/${markup}`);
  await typeKey(page, gateway.key);
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toContain(JSON.stringify(markup));
  expect(await page.title()).toMatch(/^REST documentation/);
  expect(await page.locator('img').count()).toBe(0);
});

function sample(page: Page, name: string, language: string): Promise<string | null> {
  return operation(page, name).locator(`[data-language=${language}]`).textContent();
}

function keyField(page: Page) {
  return operation(page, 'createPet').getByLabel('Idempotency-Key');
}

test('code samples in /docs use the path, query and headers from the form', async () => {
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

test('code samples show a form’s JSON body on one line and leave a body that is not JSON unchanged', async () => {
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

test('a sample and its request have the same Idempotency-Key, which changes only after a success', async () => {
  const { page, complaints } = await openForm('createPet');
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
  await operation(page, 'createPet').getByLabel('Request body').fill('{}');
  expect(await send(page, 'createPet')).toContain('BAD_USER_INPUT');
  expect(await keyField(page).inputValue()).toBe(second);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
  const { page: other } = await open('/docs');
  await tryOut(other, 'createPet');
  expect(await keyField(other).inputValue()).not.toBe(second);
});

const outcome = (page: Page, name: string) => operation(page, name).getByRole('status');

/** Returns an outcome's icon and colour. */
async function lookOf(page: Page, name: string) {
  return outcome(page, name).evaluate((element) => {
    const { content, color } = getComputedStyle(element, '::before');
    return { icon: content, color };
  });
}

test('a success, its replay and a failure in /docs differ in word, icon and colour', async () => {
  const { page, complaints } = await openForm('createPet');
  await operation(page, 'createPet').getByLabel('Idempotency-Key').fill('typed');
  const created = await send(page, 'createPet');
  expect(await outcome(page, 'createPet').innerText()).toMatch(/^Success 201 Created · /);
  const success = await lookOf(page, 'createPet');
  await press(page, 'createPet');
  await outcome(page, 'createPet').getByText('Replay of the first response').waitFor();
  expect(await outcome(page, 'createPet').innerText()).toMatch(
    /^Replay of the first response 201 Created · /,
  );
  const shown = operation(page, 'createPet').getByRole('region', { name: 'Response body' });
  expect(await shown.innerText()).toBe(created);
  const replay = await lookOf(page, 'createPet');
  await operation(page, 'createPet').getByLabel('Request body').fill('{}');
  expect(await send(page, 'createPet')).toContain('BAD_USER_INPUT');
  expect(await outcome(page, 'createPet').innerText()).toMatch(/^Failure 400 Bad Request · /);
  const failure = await lookOf(page, 'createPet');
  const looks = [success, replay, failure];
  expect(new Set(looks.map(({ icon }) => icon)).size).toBe(3);
  expect(new Set(looks.map(({ color }) => color)).size).toBe(3);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('a form in /docs shows a 304 as a success without a body', async () => {
  const { page } = await openForm('listPets');
  await operation(page, 'listPets').getByLabel('If-None-Match').fill('*');
  await press(page, 'listPets');
  await outcome(page, 'listPets').getByText('304 Not Modified').waitFor();
  expect(await outcome(page, 'listPets').innerText()).toMatch(/^Success 304/);
  expect(await operation(page, 'listPets').locator('.body').isVisible()).toBe(false);
});

test.each(['listPets', 'createPet'])(
  '%s is sent again automatically after an outage if it got no response',
  async (name) => {
    const { page, complaints } = await openForm(name);
    await page.route('**/*', (route) => route.abort());
    await press(page, name);
    await expect
      .poll(() => outcome(page, name).innerText())
      .toBe('The service does not respond. The request will be sent again when it does.');
    await expect.poll(() => page.locator('#outage').innerText()).toContain('does not respond');
    await page.unroute('**/*');
    await outcome(page, name).getByText('Success').waitFor();
    expect(await page.locator('#outage').innerText()).toBe('');
    complaints.splice(0);
  },
);

test('a create without an idempotency key is not sent again after an outage', async () => {
  const { page, complaints, requests } = await openForm('createPet');
  await operation(page, 'createPet').getByLabel('Idempotency-Key').fill('');
  await page.route('**/*', (route) => route.abort());
  await press(page, 'createPet');
  await expect
    .poll(() => outcome(page, 'createPet').innerText())
    .toBe('The service does not respond. Whether the request took effect is unknown.');
  await page.unroute('**/*');
  await expect.poll(() => page.locator('#outage').innerText(), { timeout: 10_000 }).toBe('');
  expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  complaints.splice(0);
});

test('a form with a missing path parameter or an invalid header reports it and sends nothing', async () => {
  const { page, requests } = await open('/docs');
  await tryOut(page, 'getPet');
  await operation(page, 'getPet').getByLabel('petId').fill('');
  await tryOut(page, 'listPets');
  await operation(page, 'listPets').getByLabel('If-None-Match').fill('→');
  const before = requests.length;
  await press(page, 'getPet');
  expect(await operation(page, 'getPet').locator('input:invalid').count()).toBe(1);
  await press(page, 'listPets');
  await outcome(page, 'listPets').getByText('Not sent: ').waitFor();
  expect(requests.slice(before)).toEqual([]);
});
