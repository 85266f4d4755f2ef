import type { IncomingMessage } from 'node:http';
import { parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { createExecute, type Execute } from '@store-gateway/graphql/execution';
import {
  type Endpoint,
  createHealth,
  send,
  listen,
  createRequestListener,
  createRequestQueue,
} from '@store-gateway/http';
import { bearerToken } from '@store-gateway/access';
import { requestContext } from '@store-gateway/ops';
import { createRest, PAGE_INFO, createEndpoints, writeError } from '@store-gateway/rest';
import { callers, type Caller, type Context } from './random-schema.ts';
import { createAnimals } from './shelter-model.ts';

export const NAMES = ['ann', 'bob', 'cyd', 'dot'];

/** Callers by their keys; every other one is a keeper. */
const CALLERS = new Map(
  NAMES.map((name, index) => [`key-of-${name}`, { name, isKeeper: index % 2 === 0 }]),
);

function callerOf({ headers }: IncomingMessage): Caller {
  const caller = CALLERS.get(bearerToken(headers.authorization) ?? '');
  const context = requestContext.getStore();
  if (caller === undefined || context === undefined) {
    throw new Error('every request of these tests has a key');
  }
  context.keyId = caller.name;
  return caller;
}

/** Both surfaces of a schema of animals, of the packages that the store is made of. */
export async function serveSchema(schema: GraphQLSchema, selected: string) {
  const find = createAnimals(NAMES);
  const executeAny = createExecute<Caller>(schema, {
    services: { find },
    contextOf: ({ caller }): Context => ({ find, caller }),
  });
  const execute: Execute<Caller> = (operation, request) =>
    callers.run(request.caller, () => executeAny(operation, request));

  const rest = createRest({
    schema,
    basePath: '/v1',
    info: { title: 'Animals', version: '1' },
    messages: {},
    routes: [
      {
        method: 'get',
        path: '/animals',
        summary: 'List animals',
        document: `query list($limit: Int, $after: ID) {
          animalsConnection(limit: $limit, after: $after) { nodes { ${selected} } ${PAGE_INFO} }
        }`,
        status: 200,
      },
      {
        method: 'get',
        path: '/animals/:id',
        summary: 'Get an animal',
        document: `query get($id: ID!) { animal(id: $id) { ${selected} } }`,
        status: 200,
      },
    ],
  });
  const options: Parameters<typeof createEndpoints<Caller>>[1] = {
    documentation: '/docs',
    admit: ({ request }) =>
      Promise.resolve({ caller: callerOf(request), waited: 0, turn: () => Promise.resolve() }),
    execute,
  };
  const queue = createRequestQueue();
  const listener = createRequestListener({
    endpoints: [...createEndpoints(rest, options), graphqlEndpoint(execute)],
    queue,
    health: createHealth(
      () => Promise.resolve(),
      () => '',
    ),
    clientOf: ({ headers }) => ({ kind: 'key', name: headers.authorization ?? '' }),
    clientAddress: () => '127.0.0.1',
    maximumOpenRequests: 1000,
    corsOrigins: [],
    surfaceOf: () => 'rest',
    routeOf: () => undefined,
  });
  return listen(listener, { host: '127.0.0.1', port: 0, maximumConnections: 1000 });
}

/** Executes the documents that paths end in. */
function graphqlEndpoint(execute: Execute<Caller>): Endpoint {
  const documents = new Map<string, DocumentNode>();
  return {
    method: 'GET',
    path: '/graphql/:document',
    writeError,
    answer: async (request, response, { parameters }) => {
      const text = Buffer.from(parameters['document'] ?? '', 'base64url').toString();
      const document = documents.get(text) ?? parse(text);
      documents.set(text, document);
      const caller = callerOf(request);
      const { data, errors } = await execute({ document }, { caller, idempotencyKey: undefined });
      // How many fields fail behind one that is null already, and in which order, depends on the executor.
      const messages = [...new Set(errors?.map(({ message }) => message))].toSorted();
      send(response, 'application/json', JSON.stringify({ data, messages }));
    },
  };
}
