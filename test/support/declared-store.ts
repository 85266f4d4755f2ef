import SchemaBuilder from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import type { Route } from '@store-gateway/rest';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

/** Returns a new schema builder over the animals' tables. */
export function animalsBuilder() {
  return new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
    builderOptions(models, getDatamodel()),
  );
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const STATUSES = { get: 200, post: 201, put: 200, patch: 200, delete: 204 } as const;

/** GraphQL documents by method and path, such as `get /pets/:petId`. */
type Documents = Readonly<Record<string, string | Declared>>;
type Declared = Pick<Route, 'document'> & Partial<Pick<Route, 'status' | 'deprecation'>>;

export function routesOf(documents: Documents): Route[] {
  return Object.entries(documents).map(([line, given]) => {
    const [verb, path = ''] = line.split(' ');
    const method = METHODS.find((each) => each === verb) ?? 'get';
    const declared: Declared = typeof given === 'string' ? { document: given } : given;
    return Object.assign({ method, path, summary: line, status: STATUSES[method] }, declared);
  });
}

/** Returns a store's API, with everything that linters require from its contract. */
export function apiOf(schema: GraphQLSchema, title: string, documents: Documents) {
  const info = {
    title,
    version: '1.0.0',
    description: 'For tests.',
    contact: { name: 'Nobody' },
    license: { name: 'MIT', identifier: 'MIT' },
  };
  return { schema, rest: { routes: routesOf(documents), basePath: '/v1', info } };
}
