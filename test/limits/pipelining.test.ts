import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';

test('pipelined bodies of any kind belong to their requests', async () => {
  const { send, answers } = await rawConnection(gateway.url);
  const names = Array.from({ length: 100 }, (_, index) => `Animal ${index}`);
  const requests = names.map((name, index) => {
    // White space that looks like the end of a head, less and more than is parsed in one go.
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

/** A POST whose response has the name. */
function create(name: string, ...headers: readonly string[]): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  return head('POST /v1/pets', KEY, JSON_TYPE, `Content-Length: ${body.length}`, ...headers) + body;
}

const get = (path: string, ...headers: readonly string[]) => head(`GET ${path}`, KEY, ...headers);

/** How bytes arrive: all at once, or from the middle of a request on by themselves. */
const SPLITS: [what: string, pieces: (bytes: string) => string[]][] = [
  ['in one piece', (bytes) => [bytes]],
  ['in pieces that end within bodies', (bytes) => bytes.split(/(?<=categoryId)/)],
];

test.each(SPLITS)(
  'requests behind an ignored upgrade are answered in order, sent %s',
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
    // The connection is as good as any.
    connection.send(get('/nowhere'));
    expect((await connection.answers(sent.length + 1)).at(-1)?.status).toBe(404);
  },
);
