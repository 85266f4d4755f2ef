/** A resource as REST's JSON: ids, strings in GraphQL, as integers of all their digits. */
export function representation(resource: unknown, idKeys: ReadonlySet<string>): string {
  return JSON.stringify(resource, (key, value: unknown) =>
    idKeys.has(key) && typeof value === 'string' ? JSON.rawJSON(value) : value,
  );
}
