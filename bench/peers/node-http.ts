import { createServer } from 'node:http';
import { serve } from './support/serve.ts';

/** A page of 20 animals, about as long as those of the data. */
const PETS = Array.from({ length: 20 }, (_, index) => ({
  id: 10_001 + index,
  name: 'Whiskers',
  categoryId: 1 + (index % 10),
  status: 'available',
}));
const asGraphql = PETS.map((pet) => ({ ...pet, id: `${pet.id}`, categoryId: `${pet.categoryId}` }));

const rest = { list: constant(PETS), one: constant(PETS[0]) };
const graphql = {
  pets: constant({ data: { pets: asGraphql } }),
  pet: constant({ data: { pet: asGraphql[0] } }),
  createPet: constant({ data: { createPet: asGraphql[0] } }),
};
const FIELDS = ['createPet', 'pets', 'pet'] as const;

/** The limit of what Node's HTTP server can answer: no body is parsed, and nothing is looked up. */
const server = createServer((request, response) => {
  const { method, url = '' } = request;
  if (method === 'GET') {
    const { headers, body } = url.startsWith('/v1/pets/') ? rest.one : rest.list;
    response.writeHead(200, headers).end(body);
    return;
  }
  if (url !== '/graphql') {
    // The body is drained by Node itself.
    request.resume();
    response.writeHead(201, rest.one.headers).end(rest.one.body);
    return;
  }
  let text = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const field = FIELDS.find((name) => text.includes(`${name}(`)) ?? 'pets';
    const { headers, body } = graphql[field];
    response.writeHead(200, headers).end(body);
  });
});
serve(server);

function constant(value: unknown) {
  const body = Buffer.from(JSON.stringify(value));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return { body, headers };
}
