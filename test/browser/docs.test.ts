import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { seriousViolations, startBrowser } from './support/browser.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);

/** Gives the key by the page's dialog. */
async function authorize(page: Page, key = gateway.key): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.modal-ux');
  await dialog.getByRole('textbox').fill(key);
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.locator('.btn-done').click();
}

function operation(page: Page, name: string) {
  return page.locator(`#operations-animals-${name}`);
}

/** Runs the operation that the page was opened on, and gives the body that it shows. */
async function execute(page: Page, name: string): Promise<string> {
  await operation(page, name).getByRole('button', { name: 'Execute' }).click();
  return operation(page, name).locator('.live-responses-table .highlight-code code').innerText();
}

async function tryOut(page: Page, name: string): Promise<void> {
  await operation(page, name).getByRole('button', { name: 'Try it out' }).click();
}

test('an animal that is created on the page is there, with all digits of its category', async () => {
  const { page } = await open('/docs#/animals/createPet');
  await authorize(page);
  await tryOut(page, 'createPet');
  const body = `{ "name": "Exact", "categoryId": ${LARGEST} }`;
  await page.getByRole('textbox', { name: 'Request body' }).fill(body);
  expect(await execute(page, 'createPet')).toContain(`"categoryId": ${LARGEST}`);
  const made = await gateway.database.$queryRaw`
    SELECT category_id FROM pets WHERE name = 'Exact'`;
  expect(made).toEqual([{ category_id: BigInt(LARGEST) }]);
});

test('the list on the page has the digits of the answer, and the contract’s default limit', async () => {
  await gateway.post('/v1/pets', `{ "name": "Listed", "categoryId": ${LARGEST} }`);
  const { page, requests } = await open('/docs#/animals/listPets');
  await authorize(page);
  await tryOut(page, 'listPets');
  const shown = await execute(page, 'listPets');
  expect(shown).toContain(`"name": "Listed",\n    "categoryId": ${LARGEST},`);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets?limit=20`);
});

test('the link of a deprecated answer opens the operation, which says when it is removed', async () => {
  await gateway.database.$executeRaw`
    INSERT INTO pets VALUES (${BigInt(LARGEST)}, 'Last', 1, 'sold')`;
  const answer = await gateway.request('/v1/pets/1');
  const [, link = ''] = /<([^>]*)>; rel="deprecation"/.exec(answer.headers.get('Link') ?? '') ?? [];
  const { page, requests } = await open(
    new URL(link, `${gateway.url}/v1/pets/1`).href.replace(gateway.url, ''),
  );
  const opened = operation(page, 'getPet');
  await opened.getByText('Warning: Deprecated').waitFor();
  await opened.getByText('To be removed on 5 December 2030').waitFor();
  await authorize(page);
  await tryOut(page, 'getPet');
  await opened.getByRole('textbox', { name: 'petId' }).fill(LARGEST);
  expect(await execute(page, 'getPet')).toContain(`"id": ${LARGEST},\n  "name": "Last"`);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets/${LARGEST}`);
});

test('the key outlives a reload of its tab, is in no other, and goes when told to', async () => {
  const { page } = await open('/docs');
  const stored = () => page.evaluate('[localStorage.length, Object.values(sessionStorage).join()]');
  await authorize(page);
  await page.reload();
  await page.locator('.btn.authorize.locked').click();
  expect(await stored()).toEqual([0, expect.stringContaining(gateway.key)]);
  await page.locator('.modal-ux').getByRole('button', { name: 'Remove authorization' }).click();
  expect(await stored()).toEqual([0, expect.not.stringContaining(gateway.key)]);
});

test('a wrong key is answered with what the service says of it', async () => {
  const { page, complaints } = await open('/docs#/animals/listPets');
  await authorize(page, 'wrong');
  await tryOut(page, 'listPets');
  expect(await execute(page, 'listPets')).toContain('"code": "UNAUTHENTICATED"');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
});

test('the keyboard alone gives the key and lists the animals', async () => {
  const { page } = await open('/docs#/animals/listPets');
  await operation(page, 'listPets').getByRole('button', { name: 'Try it out' }).waitFor();
  // What a key has opened comes a little later.
  const isAt = (selector: string) => page.locator(`${selector}:focus`).waitFor();
  const tabTo = async (selector: string) => {
    await page.locator(selector).first().waitFor();
    for (let steps = 0; steps < 40; steps += 1) {
      await page.keyboard.press('Tab');
      if (await page.locator(`${selector}:focus`).count()) return;
    }
    throw new Error(`Tab does not reach ${selector}`);
  };
  await tabTo('.btn.authorize');
  await page.keyboard.press('Enter');
  await isAt('.modal-ux input');
  await page.keyboard.type(gateway.key);
  await page.keyboard.press('Enter');
  await tabTo('.modal-ux .btn-done');
  await page.keyboard.press('Enter');
  await isAt('.btn.authorize');
  await tabTo('.try-out__btn');
  await page.keyboard.press('Enter');
  await tabTo('.execute');
  await page.keyboard.press('Enter');
  const shown = operation(page, 'listPets').locator('.live-responses-table .highlight-code code');
  expect(await shown.innerText()).toMatch(/^\[/);
});

test.each(['listPets', 'createPet', 'getPet'])(
  'nothing about %s keeps people out: closed, open, being tried, and the dialog for the key',
  async (name) => {
    const { page } = await open('/docs');
    const summary = operation(page, name).locator('.opblock-summary-control');
    await summary.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await summary.click();
    await tryOut(page, name);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    expect(await seriousViolations(page)).toEqual([]);
  },
);
