import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';
import { operation, send, tryOut } from './support/docs.ts';
import { line, openPlayground, waitForPlayground } from './support/playground.ts';
import { startPrefixProxy } from './support/prefix.ts';
import { beginSignIn, changeSignIn, keyStatus, signIn, stored } from './support/sign-in.ts';
import { startSignInProvider } from './support/sign-in-provider.ts';
import { VIEWPORTS } from './support/viewports.ts';

const provider = await startSignInProvider();
const gateway = await startGateway(provider.settings);
const belowPrefix = await startPrefixProxy(gateway.url, '/store');
provider.register(gateway.url, belowPrefix);
const open = await startBrowser(gateway, [provider.issuer, new URL(belowPrefix).origin]);
await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });

test('signing in on /docs returns to the same operation, which can be sent', async () => {
  const { page, requests } = await open('/docs#/animals/listPets');
  await signIn(page);
  expect(page.url()).toBe(`${gateway.url}/docs#/animals/listPets`);
  expect(await keyStatus(page).innerText()).toMatch(
    /^Signed in until \d.*\. You may read and write\.$/,
  );
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toContain('"Rex"');
  const { 'animal-store-gateway:api-key': token = '' } = await stored(page);
  expect(token).toMatch(/^ey/);
  expect(requests.filter((request) => request.includes(token))).toEqual([]);
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
});

test('signing in on GraphiQL returns to the same query, which can be run', async () => {
  const { page } = await openPlayground(open, '/graphql?query={pets{name}}');
  await signIn(page);
  await waitForPlayground(page);
  expect(page.url()).toBe(`${gateway.url}/graphql`);
  await line(page, 'operation.graphql', '{pets{name}}').waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Rex"').waitFor();
});

test('a sign-in on the landing page lists the animals and applies to every page', async () => {
  const { page } = await open('/');
  await signIn(page);
  await page.getByText('The first animal, by id.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'GraphiQL' }).click();
  await keyStatus(page).getByText('Signed in until').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
});

test('the authorization code is not in the browser history', async () => {
  const { page } = await open('/docs');
  await signIn(page);
  await page.goBack();
  await page.waitForURL(`${provider.issuer}/**`);
  await page.goForward();
  await keyStatus(page).getByText('Signed in until').waitFor();
  expect(page.url()).toBe(`${gateway.url}/docs`);
});

test('signing in works below a proxy’s path prefix', async () => {
  const { page } = await open('/');
  await page.goto(`${belowPrefix}/docs`);
  await signIn(page);
  expect(page.url()).toBe(`${belowPrefix}/docs`);
});

test('the forms of /docs tell a user without the scope write that it is missing, as does the response', async () => {
  const { page, complaints } = await open('/docs');
  await signIn(page, 'Rita');
  expect(await keyStatus(page).innerText()).toMatch(/\. You may read\.$/);
  await tryOut(page, 'createPet');
  const form = operation(page, 'createPet');
  await form.getByText('Without the scope write, the response is 403.').waitFor();
  expect(await send(page, 'createPet')).toContain('This request needs the scope write');
  complaints.splice(0);
  await tryOut(page, 'listPets');
  expect(await operation(page, 'listPets').locator('.without-scopes').isVisible()).toBe(false);
  expect(await send(page, 'listPets')).toContain('"Rex"');
});

test('GraphiQL tells a user without the scope write that a mutation requires it', async () => {
  const { page, complaints } = await open('/graphql?query=mutation{deletePet(id:1){id}}');
  await waitForPlayground(page);
  await signIn(page, 'Rita');
  await waitForPlayground(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', 'This request needs the scope write').waitFor();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('403')]);
});

test('in GraphiQL, running a query without a sign-in or a key moves the focus to the sign-in button', async () => {
  const { page } = await openPlayground(open);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', 'Sign in, or enter an API key').waitFor();
  await keyStatus(page).getByText('Every operation needs a sign-in or an API key.').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('sign-in');
});

test('signing out on one page signs the user out on every page', async () => {
  const { page } = await open('/docs');
  await signIn(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await keyStatus(page).getByText('Every operation needs a sign-in or an API key.').waitFor();
  expect(await stored(page)).toEqual({});
  await page.goto(`${gateway.url}/`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('an expired sign-in is reported and no longer used', async () => {
  const { page } = await open('/docs');
  await signIn(page);
  await page.clock.install();
  await page.reload();
  await keyStatus(page).getByText('Signed in until').waitFor();
  await page.clock.fastForward('10:01');
  await keyStatus(page).getByText('Your sign-in has expired. Sign in again.').waitFor();
  expect(await stored(page)).toEqual({});
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('entering an API key replaces a sign-in, and signing in replaces an API key', async () => {
  const { page } = await open('/docs');
  await signIn(page);
  await page.getByLabel('API key').fill(gateway.key);
  await expect.poll(() => keyStatus(page).innerText()).toBe('This key works.');
  expect(await stored(page)).toEqual({ 'animal-store-gateway:api-key': gateway.key });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await keyStatus(page).getByText('Signed in until').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
});

test.each(VIEWPORTS)(
  'pages with a sign-in button have no accessibility issues at $name',
  async (viewport) => {
    const { page } = await open('/guides', viewport);
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.goto(`${gateway.url}/sign-in`);
    await page.getByRole('link', { name: 'Back' }).waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);

test('without OIDC_CLIENT_ID, pages do not offer a sign-in and may only connect to the service', async () => {
  const plain = await startGateway({ ...provider.settings, oidcClientId: undefined });
  const { headers, text } = await plain.request('/docs');
  expect(text).not.toContain('data-issuer');
  expect(headers.get('Content-Security-Policy')).toMatch(/connect-src 'self'$/);
  expect(await plain.request('/sign-in')).toMatchObject({ status: 404 });
});

const outcome = (page: Page) => page.locator('#outcome').innerText();

test('an identity provider’s response to a sign-in that this tab did not start is rejected', async () => {
  const { page, requests } = await open('/sign-in?code=stolen&state=other');
  await expect
    .poll(() => outcome(page))
    .toBe('This sign-in was not started in this tab, or has already finished.');
  expect(page.url()).toBe(`${gateway.url}/sign-in`);
  expect(requests.filter((request) => request.includes(provider.issuer))).toEqual([]);
  await page.getByRole('link', { name: 'Back' }).click();
  await page.waitForURL(`${gateway.url}/`);
});

test('an identity provider’s response with a different state is rejected and ends the sign-in', async () => {
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
  ['from a different provider', '&iss=https://other.example'],
  ['without an issuer', ''],
])('the authorization code in a response %s is not exchanged for a token', async (_, iss) => {
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
  'a sign-in with the return path %s returns to the landing page',
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

test('a user who declines sees the identity provider’s message and a link back', async () => {
  const { page } = await open('/docs#/schemas');
  await beginSignIn(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await expect
    .poll(() => outcome(page))
    .toBe('The identity provider rejected the sign-in: You have declined (access_denied).');
  await page.getByRole('link', { name: 'Back' }).click();
  await page.waitForURL(`${gateway.url}/docs#/schemas`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('an unknown authorization code is reported with the identity provider’s message', async () => {
  const { page, complaints } = await open('/docs');
  await beginSignIn(page);
  const state = await changeSignIn(page, gateway.url);
  await page.goto(
    `${gateway.url}/sign-in?code=stolen&state=${state}&iss=${encodeURIComponent(provider.issuer)}`,
  );
  await expect.poll(() => outcome(page)).toContain('The identity provider rejected the sign-in: ');
  expect(await outcome(page)).toContain('(invalid_grant).');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('an identity provider that does not respond is reported beside the sign-in button', async () => {
  const { page, complaints } = await open('/docs');
  await page.route(`${provider.issuer}/**`, (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await keyStatus(page).getByText('did not respond to this page: it may be down').waitFor();
  complaints.splice(0);
  await page.unrouteAll();
  await signIn(page);
  expect(page.url()).toBe(`${gateway.url}/docs`);
});

test('an identity provider with its token endpoint on a different origin is reported before the sign-in', async () => {
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
  await keyStatus(page).getByText('its token endpoint is on a different origin').waitFor();
  expect(page.url()).toBe(`${gateway.url}/docs`);
});
