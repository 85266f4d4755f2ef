import { fastify } from 'fastify';
import type { PetStatus } from '../../generated/enums.ts';
import { port } from './environment.ts';
import { announce } from './serve.ts';

/** An animal as a database returns it; fastify's serializer writes either kind of id. */
interface Pet {
  readonly id: bigint | number;
  readonly name: string;
  readonly categoryId: bigint | number;
  readonly status: PetStatus;
}

/** The queries that the routes need. Ids are integers from JSON and paths. */
export interface Queries {
  readonly listPets: (query: ListQuery) => Promise<readonly Pet[]>;
  readonly getPet: (id: number) => Promise<Pet | null>;
  readonly createPet: (input: NewPet) => Promise<Pet>;
  readonly listPetsByIds: (ids: readonly number[]) => Promise<readonly Pet[]>;
  /** Resolves to null if there is no such animal. */
  readonly updatePet: (id: number, changes: Partial<NewPet>) => Promise<Pet | null>;
  /** Resolves to whether the animal existed. */
  readonly deletePet: (id: number) => Promise<boolean>;
}

export interface ListQuery {
  readonly status?: PetStatus;
  readonly limit: number;
  readonly after?: number;
}

export interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus;
}

const statusSchema = { type: 'string', enum: ['available', 'pending', 'sold'] };
const idSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const petSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
  required: ['id', 'name', 'categoryId', 'status'],
};

const listSchema = {
  querystring: {
    type: 'object',
    properties: {
      status: statusSchema,
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      after: idSchema,
      id: { type: 'string', pattern: String.raw`^\d{1,15}(,\d{1,15}){0,99}$` },
    },
  },
  response: { 200: { type: 'array', items: petSchema } },
};

const getSchema = {
  params: { type: 'object', properties: { id: idSchema }, required: ['id'] },
  response: { 200: petSchema },
};

const createSchema = {
  body: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 255 },
      categoryId: idSchema,
      status: { ...statusSchema, default: 'available' },
    },
    required: ['name', 'categoryId'],
  },
  response: { 201: petSchema },
};

const paramsSchema = getSchema.params;

const updateSchema = {
  params: paramsSchema,
  body: {
    type: 'object',
    properties: {
      name: createSchema.body.properties.name,
      categoryId: idSchema,
      status: statusSchema,
    },
  },
  response: { 200: petSchema },
};

const deleteSchema = { params: paramsSchema, response: { 204: { type: 'null' } } };

/** The routes of both peers on Fastify, with compiled JSON schemas for requests and responses. */
export async function serveRest(queries: Queries): Promise<void> {
  const { listPets, listPetsByIds, getPet, createPet, updatePet, deletePet } = queries;
  const app = fastify({ logger: false });

  app.get<{ Querystring: ListQuery & { id?: string } }>(
    '/v1/pets',
    { schema: listSchema },
    async ({ query }) =>
      query.id === undefined ? listPets(query) : listPetsByIds(query.id.split(',').map(Number)),
  );

  app.get<{ Params: { id: number } }>(
    '/v1/pets/:id',
    { schema: getSchema },
    async ({ params }, reply) => {
      const pet = await getPet(params.id);
      if (pet === null) {
        return reply.code(404).send({ message: 'No such animal' });
      }
      return pet;
    },
  );

  app.post<{ Body: NewPet }>('/v1/pets', { schema: createSchema }, async ({ body }, reply) => {
    const pet = await createPet(body);
    return reply.code(201).send(pet);
  });

  app.patch<{ Params: { id: number }; Body: Partial<NewPet> }>(
    '/v1/pets/:id',
    { schema: updateSchema },
    async ({ params, body }, reply) => {
      const pet = await updatePet(params.id, body);
      if (pet === null) {
        return reply.code(404).send({ message: 'No such animal' });
      }
      return pet;
    },
  );

  app.delete<{ Params: { id: number } }>(
    '/v1/pets/:id',
    { schema: deleteSchema },
    async ({ params }, reply) => {
      if (await deletePet(params.id)) {
        return reply.code(204).send();
      }
      return reply.code(404).send({ message: 'No such animal' });
    },
  );

  await app.listen({ port, host: '127.0.0.1' });
  announce(app.server);
}
