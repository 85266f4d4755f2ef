import type { Answer } from './gateway.ts';

/** Where a Link of a response leads, as path and query; undefined if it has none of that relation. */
export function linkOf(
  { headers }: Pick<Answer, 'headers'>,
  relation: string,
  from: string,
): string | undefined {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g);
  const [, target] = [...links].find(([, , rel]) => rel === relation) ?? [];
  const url = target === undefined ? undefined : new URL(target, `http://localhost${from}`);
  return url && url.pathname + url.search;
}
