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
