import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { onFileFinished } from '../../support/clean-up.ts';

/** Makes a server listen on a free local port until the tests of the file are over. Resolves to its URL. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/**
 * Starts a proxy that serves a gateway below a path prefix, until the tests of the file are over. Unlike
 * `mountBelowPrefix`, it also works for redirects, which Playwright's routes do not intercept.
 *
 * @returns the service's URL below the prefix
 */
export async function startPrefixProxy(url: string, prefix: string): Promise<string> {
  const server = createServer((request, response) => {
    const { method = '', headers } = request;
    const target = new URL(request.url?.replace(prefix, '') ?? '', url);
    const forwarded = send(target, { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    request.pipe(forwarded);
  });
  return `${await listening(server)}${prefix}`;
}

/**
 * Also serves the gateway to a page below a path prefix, like a proxy that strips the prefix.
 *
 * @returns the service's URL below the prefix
 */
export async function mountBelowPrefix(page: Page, url: string): Promise<string> {
  const prefix = `${url}/store/`;
  await page.route(`${prefix}**`, async (route) => {
    const target = route.request().url().replace(prefix, `${url}/`);
    await route.fulfill({ response: await route.fetch({ url: target }) });
  });
  return prefix;
}
