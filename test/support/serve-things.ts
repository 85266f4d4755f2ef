import { parse, type DocumentNode } from 'graphql';
import { parseExactly, isJsonObject } from '@store-gateway/ops';
import { createExecute } from '@store-gateway/graphql/execution';
import { createRest, PAGE_INFO, createEndpoints } from '@store-gateway/rest';
import { openClients } from '../../packages/data/test/clients.ts';
import { schemaOfScalars } from './schema-of-scalars.ts';
import { serveEndpoints } from './serve-endpoints.ts';

const schema = schemaOfScalars();
/** All but the id. */
export const FIELDS = `bigInt bigIntOrNull int intOrNull float floatOrNull decimal decimalOrNull string stringOrNull uuidOrNull
  boolean booleanOrNull dateTime dateTimeOrNull dateOrNull json jsonOrNull bytes bytesOrNull level levelOrNull
  strings ints bigInts floats decimals booleans dateTimes jsons blobs levels`;
export const CREATE = `mutation createThing($input: NewThing!) { createThing(input: $input) { id ${FIELDS} } }`;

export const thingsRest = createRest({
  schema,
  routes: [
    { method: 'post', path: '/things', summary: 'Add', document: CREATE, status: 201 },
    {
      method: 'get',
      path: '/things',
      summary: 'List',
      document: `query things($limit: Int, $after: ID) {
        thingsConnection(limit: $limit, after: $after) { nodes { id ${FIELDS} } ${PAGE_INFO} }
      }`,
      status: 200,
    },
    {
      method: 'get',
      path: '/things/:id',
      summary: 'Get',
      document: `query thing($id: ID!) { thing(id: $id) { id ${FIELDS} } }`,
      status: 200,
    },
    {
      method: 'get',
      path: '/owners/:id',
      summary: 'Get an owner',
      document: `query owner($id: ID!, $after: ID) { owner(id: $id) { things(limit: 1, after: $after) { id ${FIELDS} } } }`,
      status: 200,
    },
  ],
  basePath: '/v1',
  info: { title: 'Things', version: '1.0.0' },
  messages: {},
});
/** The least thing that can be sent. */
export const REQUIRED = {
  ...Object.fromEntries(
    'strings ints bigInts floats decimals booleans dateTimes jsons blobs levels'
      .split(' ')
      .map((name) => [name, []]),
  ),
  bigInt: 1,
  int: 1,
  float: 1,
  decimal: '1',
  string: '',
  boolean: true,
  json: 1,
  bytes: '',
  dateTime: '2026-11-22T09:30:00Z',
  level: 'low',
};

type Values = Record<string, unknown>;

/** Both APIs over things that an owner has, on a database of their own. */
export async function serveThings() {
  const { batched, engine, pool, answeredBy, close } = await openClients();
  await pool.query('INSERT INTO "Owner" (id) VALUES (1)');
  let database = batched;
  const execute = createExecute<string>(schema, {
    services: {},
    contextOf: () => ({ database }),
  });
  const endpoints = createEndpoints(thingsRest, {
    documentation: '/docs',
    admit: () => Promise.resolve({ caller: 'me', waited: 0, turn: () => Promise.resolve() }),
    execute,
  });
  const { url, close: stop } = await serveEndpoints(endpoints);
  const base = `${url}/v1`;
  const documents = new Map<string, DocumentNode>();
  return {
    pool,
    database: batched,
    answeredBy,
    /** Has Prisma's engine answer all calls, or no longer. */
    useEngine: (isUsed: boolean) => {
      database = isUsed ? engine : batched;
    },
    byRest: async (path: string, body?: Values): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json' };
      const init = body && { method: 'POST', headers, body: write(body) };
      const response = await fetch(base + path, init);
      return read(await response.text());
    },
    byGraphQL: async (source: string, variables: Values): Promise<unknown> => {
      // A document that comes again is compiled.
      const document = documents.get(source) ?? parse(source);
      documents.set(source, document);
      const variableValues = exactly(variables);
      const result = await execute(
        { document, variableValues: isJsonObject(variableValues) ? variableValues : {} },
        { caller: 'me', idempotencyKey: undefined },
      );
      return read(JSON.stringify(result));
    },
    close: async () => {
      await stop();
      await close();
    },
  };
}

function write(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each,
  );
}

/** JSON whose integers beyond 2^53 are bigints. */
export function read(json = 'null'): unknown {
  return parseExactly(json);
}

/** A value as it comes from JSON. */
export function exactly(value: unknown): unknown {
  return read(write(value));
}

export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (found instanceof Object ? Reflect.get(found, key) : undefined),
    value,
  );
}
