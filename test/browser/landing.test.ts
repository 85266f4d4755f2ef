import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { seriousViolations, startBrowser } from './support/browser.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

test('every link of the landing page leads somewhere', async () => {
  const { page } = await open('/');
  const links = await page
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  expect(links).toEqual([
    '/v1',
    '/graphql',
    '/docs',
    '/v1/openapi.json',
    '/v1/openapi.yaml',
    '/schema.graphql',
    '/livez',
    '/readyz',
  ]);
  for (const link of links) {
    const { status } = await gateway.request(link, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect([link, status]).toEqual([link, 200]);
  }
});

test('the keyboard leads from a page that is not there to the documentation', async () => {
  const { page, complaints } = await open('/nowhere');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${gateway.url}/`);
  // REST and GraphQL come first.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${gateway.url}/docs`);
});

test.each([
  ['/', 'light'],
  ['/', 'dark'],
  ['/nowhere', 'light'],
  ['/nowhere', 'dark'],
] as const)('nothing on %s in the %s keeps people out', async (path, colorScheme) => {
  const { page, complaints, requests } = await open(path, { colorScheme });
  complaints.splice(0);
  expect(await seriousViolations(page)).toEqual([]);
  expect(requests).toEqual([`GET ${gateway.url}${path}`]);
});
