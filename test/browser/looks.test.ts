import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { LOOKS } from './support/looks.ts';
import { flawsOf } from './support/flaws.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
for (const name of ['Rex', 'ليلى', 'x'.repeat(255)]) {
  await gateway.post('/v1/pets', `{ "name": "${name}", "categoryId": 9223372036854775807 }`);
}

test.each(LOOKS)('/ has no flaws at $name, without a key and with the answers', async (look) => {
  const { page } = await open('/', look);
  await page.getByLabel('API key').waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText('The first 3 animals').waitFor();
  expect(await flawsOf(page)).toEqual([]);
});

test.each(LOOKS)('a page that is not there has no flaws at $name', async (look) => {
  const { page, complaints } = await open('/nowhere/at/all', look);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  expect(await flawsOf(page)).toEqual([]);
});
