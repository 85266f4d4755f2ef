import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: h2c'];

/** A create whose name is told by its response. */
function create(name: string, ...headers: readonly string[]): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  const type = 'Content-Type: application/json';
  return head('POST /v1/pets', KEY, type, `Content-Length: ${body.length}`, ...headers) + body;
}

const get = (path: string, ...headers: readonly string[]) => head(`GET ${path}`, KEY, ...headers);

/** How bytes arrive: all at once, or from the middle of a request on by themselves. */
const SPLITS: [what: string, pieces: (bytes: string) => string[]][] = [
  ['in one piece', (bytes) => [bytes]],
  ['in pieces that end within bodies', (bytes) => bytes.split(/(?<=categoryId)/)],
];

test.each(SPLITS)(
  'requests behind an ignored upgrade are answered in turn, sent %s',
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
