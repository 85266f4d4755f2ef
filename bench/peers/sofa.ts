import { createServer } from 'node:http';
import { GraphQLError, GraphQLID } from 'graphql';
import { useSofa } from 'sofa-api';
import { PetStatus as PetStatuses } from '../generated/enums.ts';
import { builder, Pet, PetStatus } from './support/builder.ts';
import { createPet, getPet } from './support/queries.ts';
import { serve } from './support/serve.ts';

// Ids are numbers in REST, which the scalar ID doesn't support.
Object.assign(GraphQLID, { serialize: Number });

// sofa-api responds to null with status 200 and null.
builder.queryField('pet', (t) =>
  t.field({
    type: Pet,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }) => {
      const pet = await getPet(BigInt(id));
      if (pet === null) {
        throw new GraphQLError('No such animal', { extensions: { http: { status: 404 } } });
      }
      return pet;
    },
  }),
);

// sofa-api turns each argument into a member of the body.
builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    args: {
      name: t.arg.string({ required: true }),
      categoryId: t.arg.id({ required: true }),
      status: t.arg({ type: PetStatus, required: true, defaultValue: PetStatuses.available }),
    },
    resolve: async (_root, { name, categoryId, status }) =>
      createPet({ name, categoryId: BigInt(categoryId), status }),
  }),
);

const sofa = useSofa({
  basePath: '/v1',
  schema: builder.toSchema(),
  routes: {
    'Query.pets': { method: 'GET', path: '/pets' },
    'Query.pet': { method: 'GET', path: '/pets/:id' },
    'Mutation.createPet': { method: 'POST', path: '/pets', responseStatus: 201 },
  },
});

serve(
  createServer((request, response) => {
    void sofa(request, response);
  }),
);
