/** Names of all `rel="…"` that are anywhere in something. */
export function relationsIn(something: unknown): Set<string | undefined> {
  const text = JSON.stringify(something ?? '').replaceAll('\\"', '"');
  return new Set(Array.from(text.matchAll(/rel="([^"]+)"/g), ([, relation]) => relation));
}
