import SchemaBuilder from '@pothos/core';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';
import {
  builderOptions,
  type BuilderTypes,
} from '../../packages/gateway/src/schema/builder-options.ts';
import { defineError } from '@store-gateway/ops/errors';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const soldOut = defineError({
  code: 'SOLD_OUT',
  status: 409,
  description: 'There is none left.',
  example: 'All dogs are sold',
});

interface Own {
  readonly shop: { readonly visits: () => number };
}

/** A schema with a field that uses a service of the store, and a field that throws an error of the store. */
const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes> & { Context: Own }>(
  builderOptions(models, getDatamodel()),
);
builder.queryType({
  fields: (t) => ({
    visits: t.int({ resolve: (_root, _args, { shop }) => shop.visits() }),
    dog: t.string({
      nullable: true,
      throws: [soldOut],
      resolve: () => {
        throw soldOut('All dogs are sold');
      },
    }),
  }),
});
const schema = builder.toSchema();

let visits = 0;
const { request, graphql } = await startGateway({
  api: {
    schema,
    rest: { basePath: '/v1', info: { title: 'Shop', version: '1' }, routes: [] },
    services: ({ now }) => ({ shop: { visits: () => (now() > 0 ? (visits += 1) : 0) }, now: 1 }),
    mount: (router, { authenticate, database }) => {
      router.get('/webhook', (_request, response) => {
        response.end('anybody');
      });
      router.get('/report', async (incoming, response) => {
        const { name } = await authenticate(incoming, response);
        response.end(`key ${name}, ${await database.pet.count()} animals`);
      });
      router.get(['/docs', '/livez', '/v1/pets'], (_request, response) => {
        response.end('of the store');
      });
    },
  },
});
const nobody = { headers: { Authorization: '' } };

test("the store's services are created once, and can't replace the gateway's context", async () => {
  expect((await graphql('{ visits }')).json).toEqual({ data: { visits: 1 } });
  expect((await graphql('{ visits }')).json).toEqual({ data: { visits: 2 } });
});

test('an error that a store defines is returned with its code, status and message', async () => {
  const { status, json } = await request('/graphql?query={dog}', {
    headers: { Accept: 'application/graphql-response+json' },
  });
  expect([status, json]).toEqual([
    294,
    {
      errors: [
        expect.objectContaining({
          message: 'All dogs are sold',
          extensions: { code: 'SOLD_OUT', status: 409 },
        }),
      ],
      data: { dog: null },
    },
  ]);
});

test('mounted routes are served, and can require authentication', async () => {
  expect((await request('/webhook', nobody)).text).toBe('anybody');
  expect(await request('/report', nobody)).toMatchObject({
    status: 401,
    json: { code: 'UNAUTHENTICATED' },
  });
  const { text, headers } = await request('/report');
  expect(text).toBe('key 1, 0 animals');
  expect(headers.get('RateLimit')).toMatch(/^"key";r=\d+;t=1$/);
});

test("a mounted route cannot replace one of the gateway's routes", async () => {
  for (const path of ['/docs', '/livez', '/v1/pets']) {
    expect((await request(path)).text).not.toBe('of the store');
  }
});
