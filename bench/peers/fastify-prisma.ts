import { serveRest } from './support/fastify-rest.ts';
import { createPet, getPet, listPets } from './support/queries.ts';

await serveRest({
  listPets: async ({ status, limit, after }) =>
    listPets(status, limit, after === undefined ? undefined : BigInt(after)),
  getPet: async (id) => getPet(BigInt(id)),
  createPet: async (input) => createPet({ ...input, categoryId: BigInt(input.categoryId) }),
});
