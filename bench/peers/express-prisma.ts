import { createServer } from 'node:http';
import express, { type Request } from 'express';
import { PetStatus } from '../generated/enums.ts';
import {
  createPet,
  deletePet,
  getPet,
  listPets,
  listPetsByIds,
  updatePet,
} from './support/queries.ts';
import { serve } from './support/serve.ts';

type Body = Partial<Record<'name' | 'categoryId' | 'status', unknown>> | undefined;

const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.set('query parser', 'simple');

app.get('/v1/pets', async (request, response) => {
  const { status, limit = '20', after, id } = request.query;
  if (id !== undefined) {
    const ids = typeof id === 'string' ? id.split(',') : [];
    if (ids.length === 0 || ids.length > 100 || !ids.every(isInteger)) {
      response.status(400).json({ message: 'Not a list of ids' });
      return;
    }
    response.json((await listPetsByIds(ids.map(BigInt))).map(asJson));
    return;
  }
  const count = Number(limit);
  if (
    (status !== undefined && !isPetStatus(status)) ||
    (after !== undefined && !isInteger(after)) ||
    !(Number.isInteger(count) && count >= 1 && count <= 100)
  ) {
    response.status(400).json({ message: 'Not a list of animals' });
    return;
  }
  const pets = await listPets(status, count, after === undefined ? undefined : BigInt(after));
  response.json(pets.map(asJson));
});

app.get('/v1/pets/:id', async (request, response) => {
  const { id } = request.params;
  const pet = isInteger(id) ? await getPet(BigInt(id)) : null;
  if (pet === null) {
    response.status(404).json({ message: 'No such animal' });
    return;
  }
  response.json(asJson(pet));
});

app.post('/v1/pets', express.json(), async (request: Request<object, unknown, Body>, response) => {
  const { name, categoryId, status = PetStatus.available } = request.body ?? {};
  if (!isName(name) || !Number.isSafeInteger(categoryId) || !isPetStatus(status)) {
    response.status(400).json({ message: 'Not an animal' });
    return;
  }
  const pet = await createPet({ name, categoryId: BigInt(Number(categoryId)), status });
  response.status(201).json(asJson(pet));
});

app.patch(
  '/v1/pets/:id',
  express.json(),
  async (request: Request<{ id: string }, unknown, Body>, response) => {
    const { name, categoryId, status } = request.body ?? {};
    if (
      (name !== undefined && !isName(name)) ||
      (categoryId !== undefined && !Number.isSafeInteger(categoryId)) ||
      (status !== undefined && !isPetStatus(status))
    ) {
      response.status(400).json({ message: 'Not a change of an animal' });
      return;
    }
    const { id } = request.params;
    const changes = {
      ...(name !== undefined && { name }),
      ...(categoryId !== undefined && { categoryId: BigInt(Number(categoryId)) }),
      ...(status !== undefined && { status }),
    };
    const pet = isInteger(id) ? await updatePet(BigInt(id), changes) : null;
    if (pet === null) {
      response.status(404).json({ message: 'No such animal' });
      return;
    }
    response.json(asJson(pet));
  },
);

app.delete('/v1/pets/:id', async (request, response) => {
  const { id } = request.params;
  const pet = isInteger(id) ? await deletePet(BigInt(id)) : null;
  if (pet === null) {
    response.status(404).json({ message: 'No such animal' });
    return;
  }
  response.status(204).end();
});

serve(createServer(app));

/** JSON.stringify can't write a bigint; the ids of this data fit into a double. */
function asJson(pet: { id: bigint; name: string; categoryId: bigint; status: PetStatus }) {
  return {
    id: Number(pet.id),
    name: pet.name,
    categoryId: Number(pet.categoryId),
    status: pet.status,
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 255;
}

function isPetStatus(value: unknown): value is PetStatus {
  return typeof value === 'string' && Object.hasOwn(PetStatus, value);
}

function isInteger(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,18}$/.test(value);
}
