import { once } from 'node:events';
import { request, type ClientRequest, type RequestOptions } from 'node:http';

/** Begins a POST of JSON; resolves when the service is at work on it, and asks for its body. */
export async function openPost(
  { url, key }: { readonly url: string; readonly key: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
  options: RequestOptions = {},
): Promise<ClientRequest> {
  const opened = request(url + path, {
    ...options,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Expect: '100-continue',
      ...headers,
    },
  });
  opened.flushHeaders();
  await once(opened, 'continue');
  return opened;
}
