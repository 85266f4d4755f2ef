import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { beginSignIn, changeSignIn, keyStatus, signIn } from './support/sign-in.ts';
import { startSignInProvider } from './support/sign-in-provider.ts';

const provider = await startSignInProvider();
const gateway = await startGateway(provider.settings);
provider.register(gateway.url);
const open = await startBrowser(gateway, [provider.issuer]);

const outcome = (page: Page) => page.locator('#outcome').innerText();

test('the response to a sign-in that this tab did not begin is rejected', async () => {
  const { page, requests } = await open('/sign-in?code=stolen&state=other');
  await expect
    .poll(() => outcome(page))
    .toBe('This sign-in was not started in this tab, or has already finished.');
  expect(page.url()).toBe(`${gateway.url}/sign-in`);
  expect(requests.filter((request) => request.includes(provider.issuer))).toEqual([]);
  await page.getByRole('link', { name: 'Back' }).click();
  await page.waitForURL(`${gateway.url}/`);
});

test('a response with another state is rejected, and ends the sign-in', async () => {
  const { page, requests } = await open('/docs');
  await beginSignIn(page);
  const state = await changeSignIn(page, gateway.url);
  for (const answered of ['other', state]) {
    await page.goto(`${gateway.url}/sign-in?code=stolen&state=${answered}`);
    await expect
      .poll(() => outcome(page))
      .toBe('This sign-in was not started in this tab, or has already finished.');
  }
  expect(requests.filter((request) => request.endsWith('/token'))).toEqual([]);
});

test.each([
  ['of another provider', '&iss=https://other.example'],
  ['that does not say of which provider', ''],
])('the code of a response %s is not exchanged', async (_, iss) => {
  const { page, requests } = await open('/docs');
  await beginSignIn(page);
  const state = await changeSignIn(page, gateway.url);
  await page.goto(`${gateway.url}/sign-in?code=stolen&state=${state}${iss}`);
  await expect.poll(() => outcome(page)).toBe('The identity provider’s response is not valid.');
  expect(requests.filter((request) => request.endsWith('/token'))).toEqual([]);
  await page.getByRole('link', { name: 'Back' }).click();
  await page.waitForURL(`${gateway.url}/docs`);
});

test.each(['//evil.example/', 'https://evil.example/', 'javascript:alert(1)'])(
  'a sign-in that would return to %s returns to the landing page',
  async (path) => {
    const { page } = await open('/docs');
    await beginSignIn(page);
    await changeSignIn(page, gateway.url, { path });
    await page.goBack();
    await page.getByRole('button', { name: 'Ann' }).click();
    await keyStatus(page).getByText('Signed in until').waitFor();
    expect(page.url()).toBe(`${gateway.url}/`);
  },
);

test('a user who declines gets the message of the provider and a link back', async () => {
  const { page } = await open('/docs#/schemas');
  await beginSignIn(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await expect
    .poll(() => outcome(page))
    .toBe('The identity provider refused: You have declined (access_denied).');
  await page.getByRole('link', { name: 'Back' }).click();
  await page.waitForURL(`${gateway.url}/docs#/schemas`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('an unknown code is reported in the words of the provider', async () => {
  const { page, complaints } = await open('/docs');
  await beginSignIn(page);
  const state = await changeSignIn(page, gateway.url);
  await page.goto(
    `${gateway.url}/sign-in?code=stolen&state=${state}&iss=${encodeURIComponent(provider.issuer)}`,
  );
  await expect.poll(() => outcome(page)).toContain('The identity provider refused: ');
  expect(await outcome(page)).toContain('(invalid_grant).');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('a provider that does not respond to the page is reported', async () => {
  const { page, complaints } = await open('/docs');
  await page.route(`${provider.issuer}/**`, (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await keyStatus(page).getByText('did not respond to this page: it may be down').waitFor();
  complaints.splice(0);
  await page.unrouteAll();
  await signIn(page);
  expect(page.url()).toBe(`${gateway.url}/docs`);
});

test('a provider whose token endpoint is on another origin is reported before the sign-in', async () => {
  const { page } = await open('/docs');
  await page.route(`${provider.issuer}/.well-known/**`, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(
      `"token_endpoint":"${provider.issuer}`,
      '"token_endpoint":"https://elsewhere.example',
    );
    await route.fulfill({ response, body });
  });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await keyStatus(page).getByText('its token endpoint is on another origin').waitFor();
  expect(page.url()).toBe(`${gateway.url}/docs`);
});
