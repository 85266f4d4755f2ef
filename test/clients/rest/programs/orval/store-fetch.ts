import { exactFetch } from '../exact.ts';
import { address, key } from '../outcomes.ts';

/** The function that Orval's generated code calls in place of `fetch`. */
export async function storeFetch<T>(path: string, init: RequestInit): Promise<T> {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${key}`);
  const response = await exactFetch(`${address}/v1${path}`, { ...init, headers });
  const data: unknown = response.status === 304 ? undefined : await response.json();
  return { data, status: response.status, headers: response.headers } as T;
}
