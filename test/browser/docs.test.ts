import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operations } from '../support/openapi.ts';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { giveKey, operation, send, tryOut } from './support/docs.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { VIEWPORTS } from './support/viewports.ts';
import { mountBelowPrefix } from './support/prefix.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);

test('the link of a deprecated response opens the operation: when it is removed, and what replaces it', async () => {
  await gateway.database.$executeRaw`
    INSERT INTO pets VALUES (${BigInt(LARGEST)}, 'Last', 1, 'sold')`;
  const answer = await gateway.request('/v1/pets/1');
  const [, link = ''] = /<([^>]*)>; rel="deprecation"/.exec(answer.headers.get('Link') ?? '') ?? [];
  const { pathname, hash } = new URL(link, `${gateway.url}/v1/pets/1`);
  const { page, requests } = await open(pathname + hash);
  const note = operation(page, 'getPet').getByRole('note');
  expect(await note.innerText()).toMatch(/^Deprecated since .* To be removed on 5 December 2030\./);
  expect(await isInSight(page, '[id="/animals/getPet"] .deprecation')).toBe(true);
  await giveKey(page, gateway.key);
  await tryOut(page, 'getPet');
  await operation(page, 'getPet').getByLabel('petId').fill(LARGEST);
  expect(await send(page, 'getPet')).toContain(`"id": ${LARGEST},\n  "name": "Last"`);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets/${LARGEST}`);
  await note.getByRole('link', { name: 'GET /pets?status=available' }).click();
  expect(page.url()).toBe(`${gateway.url}/docs#/animals/listPets`);
  expect(await isInSight(page, '[id="/animals/listPets"] h3')).toBe(true);
});

async function isInSight(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`(() => {
    const { top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);
}

test('the keyboard alone gives the key, chooses a language and lists the animals', async () => {
  const { page } = await open('/docs');
  const tabTo = async (selector: string) => {
    for (let steps = 0; steps < 40; steps += 1) {
      await page.keyboard.press('Tab');
      if (await page.locator(`${selector}:focus`).count()) return;
    }
    throw new Error(`Tab does not reach ${selector}`);
  };
  await tabTo('api-key-field input');
  await page.keyboard.type(gateway.key);
  await page.getByText('This key works.').waitFor();
  await tabTo('.samples input');
  await page.keyboard.press('ArrowRight');
  await operation(page, 'listPets').getByText('await fetch(').waitFor();
  await tabTo('.try-it > summary');
  await page.keyboard.press('Enter');
  await tabTo('[type=submit]');
  await page.keyboard.press('Enter');
  const shown = operation(page, 'listPets').getByRole('region', { name: 'Response body' });
  expect(await shown.innerText()).toMatch(/^\[/);
  await tabTo('.body');
});

test('a language is chosen for all operations, and its sample copied with the address of the service', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page } = await open('/docs', { permissions });
  await giveKey(page, gateway.key);
  await operation(page, 'listPets').getByText('Python').click();
  await operation(page, 'createPet').getByText('from urllib.request').waitFor();
  await operation(page, 'createPet').getByRole('button', { name: 'Copy' }).click();
  await operation(page, 'createPet').getByRole('button', { name: 'Copied' }).waitFor();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(copied).toContain(`"${gateway.url}/v1/pets"`);
  expect(copied).toContain('os.environ["API_KEY"]');
  expect(copied).not.toContain(gateway.key);
});

test('everything works below the prefix of a proxy', async () => {
  const { page, requests } = await open('/docs');
  const prefix = await mountBelowPrefix(page, gateway.url);
  const before = requests.length;
  await page.goto(`${prefix}docs#/animals/listPets`);
  await giveKey(page, gateway.key);
  await operation(page, 'listPets').getByText(`curl '${prefix}v1/pets?limit=20'`).waitFor();
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toMatch(/^\[/);
  expect(requests.at(-1)).toBe(`GET ${prefix}v1/pets?limit=20`);
  await page.getByRole('link', { name: 'JSON', exact: true }).click();
  await page.waitForURL(`${prefix}v1/openapi.json`);
  const outside = requests.slice(before).filter((request) => !request.includes(prefix));
  expect(outside).toEqual([]);
});

test('all but the forms is there without JavaScript, and at /docs/', async () => {
  const { page } = await open('/docs/#/animals/getPet', { javaScriptEnabled: false });
  expect(page.url()).toBe(`${gateway.url}/docs#/animals/getPet`);
  await operation(page, 'getPet').getByText('curl').first().waitFor();
  await page.locator('noscript').waitFor();
  expect(await page.getByText('Try it').first().isVisible()).toBe(false);
  expect(await page.getByRole('searchbox').isVisible()).toBe(false);
  await operation(page, 'getPet').getByText('The requested resource').first().click();
  await operation(page, 'getPet').getByRole('link', { name: 'NOT_FOUND' }).click();
  expect(await isInSight(page, '[id="/schemas/ErrorCode/NOT_FOUND"]')).toBe(true);
});

test.each(VIEWPORTS)(
  'the page has no accessibility issues at $name, and an operation takes two screens',
  async (viewport) => {
    const { page } = await open('/docs', viewport);
    await giveKey(page, gateway.key);
    const heights = await page
      .locator('.operation')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(heights).toHaveLength(operations.length);
    expect(Math.max(...heights)).toBeLessThanOrEqual(2 * 844);
    expect(await accessibilityIssues(page)).toEqual([]);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background === 'rgb(255, 255, 255)').toBe(viewport.colorScheme === 'light');
    // Every form, and a response of each kind.
    await page.evaluate(
      `for (const each of document.querySelectorAll('.try-it, .responses details:nth-of-type(-n + 3)')) each.open = true`,
    );
    await send(page, 'createPet');
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);
