import type { Answer } from './gateway.ts';

/** The references in the Link of a response, by their relations. */
export function linksOf({ headers }: Pick<Answer, 'headers'>): Map<string, string> {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g);
  return new Map(Array.from(links, ([, target = '', relation = '']) => [relation, target]));
}

/** Where a Link of a response leads, as path and query; undefined if it has none of that relation. */
export function linkOf(
  answer: Pick<Answer, 'headers'>,
  relation: string,
  from: string,
): string | undefined {
  const target = linksOf(answer).get(relation);
  const url = target === undefined ? undefined : new URL(target, `http://localhost${from}`);
  return url && url.pathname + url.search;
}

/** The path to which the Location of a response leads, for a request that was sent to `from`. */
export function createdPath({ headers }: { readonly headers: Headers }, from = '/v1/pets'): string {
  return new URL(headers.get('Location') ?? '', `http://localhost${from}`).pathname;
}
