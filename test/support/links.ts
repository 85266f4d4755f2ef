import type { Answer } from './gateway.ts';

/** Returns the targets in a response's Link header, by relation. */
export function linksOf({ headers }: Pick<Answer, 'headers'>): Map<string, string> {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g);
  return new Map(Array.from(links, ([, target = '', relation = '']) => [relation, target]));
}

/** Returns the path and query that a response's Link header has for a relation, or undefined if it has none. */
export function linkOf(
  answer: Pick<Answer, 'headers'>,
  relation: string,
  from: string,
): string | undefined {
  const target = linksOf(answer).get(relation);
  const url = target === undefined ? undefined : new URL(target, `http://localhost${from}`);
  return url && url.pathname + url.search;
}

/** Returns the path in a response's Location header, for a request to `from`. */
export function createdPath({ headers }: { readonly headers: Headers }, from = '/v1/pets'): string {
  return new URL(headers.get('Location') ?? '', `http://localhost${from}`).pathname;
}
