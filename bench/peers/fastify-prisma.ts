import { serveRest } from './support/fastify-rest.ts';
import {
  createPet,
  deletePet,
  getPet,
  listPets,
  listPetsByIds,
  updatePet,
} from './support/queries.ts';

await serveRest({
  listPets: async ({ status, limit, after }) =>
    listPets(status, limit, after === undefined ? undefined : BigInt(after)),
  getPet: async (id) => getPet(BigInt(id)),
  createPet: async (input) => createPet({ ...input, categoryId: BigInt(input.categoryId) }),
  listPetsByIds: async (ids) => listPetsByIds(ids.map(BigInt)),
  updatePet: async (id, { categoryId, ...changes }) =>
    updatePet(BigInt(id), {
      ...changes,
      ...(categoryId !== undefined && { categoryId: BigInt(categoryId) }),
    }),
  deletePet: async (id) => (await deletePet(BigInt(id))) !== null,
});
