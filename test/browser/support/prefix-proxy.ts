import { createServer, request as send } from 'node:http';
import { listening } from './listening.ts';

/**
 * Serves a gateway below a prefix as a proxy that strips it, until the tests of the file are over. Unlike `mountBelowPrefix` it
 * is there for what the browser is redirected to, too.
 *
 * @returns the address of the service below the prefix
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
