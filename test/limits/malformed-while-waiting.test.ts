import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { rawConnection } from '../support/raw-connection.ts';

const { url } = await startGateway();
const log = captureLog();

/** More than are answered before others have to wait for their turn. */
const REQUESTS = 100;

test.each([
  { what: 'without a Host', host: '' },
  { what: 'with one', host: 'Host: store\r\n' },
])(
  'a request $what whose body turns out to be malformed while it waits is answered once',
  async ({ host }) => {
    const before = log.text().length;
    const connections = await Promise.all(
      Array.from({ length: REQUESTS }, () => rawConnection(url)),
    );
    connections.forEach(({ send }, index) => {
      const headers = `${host}X-Request-Id: of-${index}\r\nTransfer-Encoding: chunked\r\n`;
      send(`POST /v1/pets HTTP/1.1\r\n${headers}\r\nno chunk\r\n`);
    });
    const answers = await Promise.all(connections.map(({ last }) => last()));
    const ids = Array.from({ length: REQUESTS }, (_, index) => `of-${index}`);
    expect(answers.map((all) => all.map(({ headers }) => headers.get('x-request-id')))).toEqual(
      ids.map((id) => [id]),
    );
    const malformed = errorBody(400, 'BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1');
    expect(answers.flat().map(({ body }) => body.toString())).toContain(malformed);
    const logged = () =>
      Array.from(
        log
          .text()
          .slice(before)
          .matchAll(/"requestId":"(of-\d+)".*"durationMs"/g),
        ([, id]) => id,
      );
    await expect.poll(() => new Set(logged())).toEqual(new Set(ids));
  },
);
