import etag from 'etag';
import type { Json } from '@gateway/exact-json/json';

export const EXAMPLE_ID = 42;

/** A plausible value for each parameter and member, by its name. */
const EXAMPLES: Readonly<Record<string, Json>> = {
  after: EXAMPLE_ID,
  categoryId: 7,
  id: EXAMPLE_ID,
  limit: 20,
  name: 'Rex',
  petId: EXAMPLE_ID,
  status: 'available',
};

/** That of an empty list. */
export const EXAMPLE_ETAG = etag('[]');

/** @throws if there is none, when the module loads: a new member wants an example */
export function exampleOf(name: string): Json {
  const example = EXAMPLES[name];
  if (example === undefined) {
    throw new Error(
      `OpenAPI: packages/pothos-rest/src/openapi/examples.ts has no example for ${name}`,
    );
  }
  return example;
}

/** An example of an object of these members. */
export function exampleObject(members: readonly string[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(members.map((name) => [name, exampleOf(name)]));
}
