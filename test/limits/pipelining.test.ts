import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';

test('each pipelined body is read as part of its own request, with a Content-Length or in chunks', async () => {
  const { send, answers } = await rawConnection(gateway.url);
  const names = Array.from({ length: 100 }, (_, index) => `Animal ${index}`);
  const requests = names.map((name, index) => {
    // White space that looks like the end of a head, both shorter and longer than what is parsed at once.
    const body = `{"name":"${name}",${'\r\n\r\n'.repeat(index * 5)}"categoryId":1}`;
    const post = ['POST /v1/pets', KEY, JSON_TYPE] as const;
    return index % 2 === 0
      ? head(...post, `Content-Length: ${body.length}`) + body
      : `${head(...post, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  });
  send(requests.join(''));
  const added = (await answers(100)).map(({ body }): unknown => JSON.parse(body.toString()));
  expect(added).toMatchObject(names.map((name) => ({ name })));
});

const UPGRADE = ['Connection: Upgrade', 'Upgrade: h2c'];

/** A request that creates an animal with this name. */
function create(name: string, ...headers: readonly string[]): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  return head('POST /v1/pets', KEY, JSON_TYPE, `Content-Length: ${body.length}`, ...headers) + body;
}

const get = (path: string, ...headers: readonly string[]) => head(`GET ${path}`, KEY, ...headers);

/** How bytes arrive: all at once, or in pieces that end in the middle of a request. */
const SPLITS: [what: string, pieces: (bytes: string) => string[]][] = [
  ['in one piece', (bytes) => [bytes]],
  ['in pieces that end within bodies', (bytes) => bytes.split(/(?<=categoryId)/)],
];

test.each(SPLITS)(
  'requests after an ignored upgrade are answered in order when sent %s',
  async (_what, pieces) => {
    const connection = await rawConnection(gateway.url);
    const sent = [
      get('/v1/pets?limit=0', ...UPGRADE),
      create('Ada', ...UPGRADE),
      get('/nowhere'),
      create('Ida', ...UPGRADE),
      ...Array.from({ length: 20 }, () => get('/v1/pets?limit=0', ...UPGRADE)),
      get('/v1/pets?limit=1'),
    ];
    for (const piece of pieces(sent.join(''))) {
      connection.send(piece);
      await connection.answers(1);
    }
    const answers = await connection.answers(sent.length);
    expect(answers.map(({ status }) => status)).toEqual([
      400,
      201,
      404,
      201,
      ...Array.from({ length: 20 }, () => 400),
      200,
    ]);
    expect(String(answers[3]?.body)).toContain('"name":"Ida"');
    // The connection can still be used.
    connection.send(get('/nowhere'));
    expect((await connection.answers(sent.length + 1)).at(-1)?.status).toBe(404);
  },
);
