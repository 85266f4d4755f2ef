// A REST client whose types are the service's own: see docs/rest-client.md.
import createClient from 'openapi-fetch';
import type { components, paths } from './animal-store.d.ts';

type Pet = components['schemas']['Pet'];
type ListQuery = NonNullable<paths['/pets']['get']['parameters']['query']>;

const address = process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000';
const store = createClient<paths>({
  baseUrl: `${address}/v1`,
  headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}`, Prefer: 'handling=strict' },
});

/** Yields all available animals, following `Link` from page to page. */
async function* availableAnimals(limit: number): AsyncGenerator<Pet> {
  let next: string | undefined;
  do {
    const { data, error, response } = await store.GET('/pets', {
      // Without `satisfies`, TypeScript accepts a misspelled name next to correct ones.
      params: { query: { status: 'available', limit } satisfies ListQuery },
      // Follow the link unchanged: its `after` may be too large for a JavaScript number.
      ...(next !== undefined && { querySerializer: () => next ?? '' }),
    });
    if (error) {
      throw new Error(`${error.code}: ${error.message}`);
    }
    yield* data;
    const [, link] = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
    next = link && new URL(link, response.url).search.slice(1);
  } while (next !== undefined);
}

// With this header, a retry does not add the animal twice.
const header = { 'Idempotency-Key': crypto.randomUUID() };
const added = await store.POST('/pets', {
  params: { header },
  body: { name: 'Rex', categoryId: 7 },
});
if (added.error) {
  throw new Error(`${added.error.code}: ${added.error.message}`);
}
console.log(`added ${added.data.name}, who is ${added.data.status}`);

for await (const { id, name } of availableAnimals(2)) {
  console.log(`${id} ${name}`);
}

// What is out of contract is a typed error, not an exception.
const refused = await store.POST('/pets', { body: { name: '', categoryId: 7 } });
console.log(`refused: ${refused.error?.code}, ${refused.error?.message}`);

// A client that has the list already learns that it hasn't changed, without getting it again.
const first = await store.GET('/pets');
const headers = { 'If-None-Match': first.response.headers.get('ETag') ?? '' };
const again = await store.GET('/pets', { params: { header: headers } });
console.log(`the list again: ${again.response.status}`);
