import { expect, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

/* The media types that both APIs return depending on the client's Accept header. */

const gateway = await startGateway();

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM = 'application/problem+json';
const RESPONSE = 'application/graphql-response+json; charset=utf-8';
const PAGE = 'text/html; charset=utf-8';
const NONE = 'none';

const QUERY = '/graphql?query={__typename}';
const NOT_REST = errorBody(406, 'NOT_ACCEPTABLE', `This address serves ${JSON_TYPE}`);
const NOT_GRAPHQL = graphqlErrorBody(
  406,
  'NOT_ACCEPTABLE',
  `This address serves ${JSON_TYPE} or ${RESPONSE}`,
);
/** The body that each path serves, and the body of its 406. */
const BODIES: readonly (readonly [path: string, served: unknown, refused: string])[] = [
  ['/v1/pets?limit=1', '[]', NOT_REST],
  ['/v1/pets?limit=0', expect.stringContaining('"code":"BAD_USER_INPUT"'), NOT_REST],
  [QUERY, expect.stringMatching(/^\{"data":\{"__typename":"Query"\}\}$|<html/), NOT_GRAPHQL],
];

test.each<readonly [accept: string | undefined, rest: string, error: string, graphql: string]>([
  [undefined, JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['application/json', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['APPLICATION/JSON', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['application/json; charset=utf-8', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['application/*;q=0.1', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['*/*', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['text/html, application/xhtml+xml, */*;q=0.8', JSON_TYPE, JSON_TYPE, PAGE],
  [PROBLEM, JSON_TYPE, PROBLEM, NONE],
  ['application/json, application/problem+json', JSON_TYPE, PROBLEM, JSON_TYPE],
  ['Application/Problem+JSON;q=0.5', JSON_TYPE, PROBLEM, NONE],
  ['application/json, application/problem+json;q=0.9', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['*/*, application/problem+json;q=0.1', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['application/problem+json;q=0, */*', JSON_TYPE, JSON_TYPE, JSON_TYPE],
  ['application/json;q=0.5, application/problem+json;q=0.6', JSON_TYPE, PROBLEM, JSON_TYPE],
  ['text/html, application/problem+json;q=0.1', JSON_TYPE, PROBLEM, PAGE],
  ['text/*, image/png', NONE, NONE, PAGE],
  ['application/graphql-response+json', NONE, NONE, RESPONSE],
  ['application/graphql-response+json, application/json;q=0.9', JSON_TYPE, JSON_TYPE, RESPONSE],
  [
    'application/json;q=0.5, application/graphql-response+json;q=0.4',
    ...([JSON_TYPE, JSON_TYPE, JSON_TYPE] as const),
  ],
  ['text/plain, application/graphql-response+json;q=0.1', NONE, NONE, RESPONSE],
  ...[
    ...'text/plain text/event-stream multipart/mixed image/* application/xml json ;,/'.split(' '),
    ...'application/json;q=0 application/problem+json;q=0 application/json;charset=latin1'.split(
      ' ',
    ),
  ].map((accept) => [accept, NONE, NONE, NONE] as const),
])(
  'with Accept: %s, the Content-Type of REST is %s, of REST errors %s and of GraphQL %s; none means 406',
  async (accept, ...types) => {
    const headers = accept === undefined ? {} : { Accept: accept };
    for (const [index, [path, served, refused]] of BODIES.entries()) {
      const { status, headers: received, text } = await nodeRequest(gateway, path, { headers });
      const type = status === 406 ? NONE : received.get('Content-Type');
      const varies = received.get('Vary')?.includes('Accept') === true;
      expect([path, type, varies]).toEqual([path, types[index], index > 0 || type === NONE]);
      expect(text).toEqual(type === NONE ? refused : served);
    }
  },
);

test.each([
  ['/v1/pets', { name: 'Rex', categoryId: 1 }],
  ['/graphql', { query: 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }' }],
])(
  'a POST to %s is not executed if the client does not accept its response type',
  async (path, body) => {
    const { status } = await gateway.post(path, body, { Accept: 'text/plain' });
    expect([status, await gateway.database.pet.count()]).toEqual([406, 0]);
  },
);

test.each(['/v1/pets?limit=1', '/v1/pets?limit=0', '/v1/pets/1', '/v1/pets/0', '/v1/x', QUERY])(
  'HEAD %s returns the same status and headers as GET, without a body',
  async (path) => {
    await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map(async (method) => {
        const headers = { 'X-Request-Id': 'same' };
        const { status, text, ...answer } = await nodeRequest(gateway, path, { method, headers });
        const same = [...answer.headers].filter(([name]) => !['date', 'ratelimit'].includes(name));
        return { status, text, headers: new Map(same) };
      }),
    );
    expect(head).toEqual({ ...get, text: '' });
    expect(head?.headers.get('content-length')).toBe(String(Buffer.byteLength(get?.text ?? '')));
  },
);
