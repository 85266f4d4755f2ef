import { expect, test } from 'vitest';
import { wrongBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

/*
 * The requests that a page from a different origin can make a browser send without a preflight request
 * ("simple" requests in the Fetch standard): a GET, or a POST with one of three types. They carry cookies,
 * but the page cannot set their Authorization. None is executed, and no cookie authenticates a caller.
 */
const gateway = await startGateway();
const { database } = gateway;

const DOCUMENTS = {
  mutation: 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }',
  query: '{ pets { id } }',
};

const multipart = (operations: string) =>
  [
    '--x\r\nContent-Disposition: form-data; name="operations"\r\n',
    operations,
    '--x\r\nContent-Disposition: form-data; name="map"\r\n',
    '{"0":["variables.x"]}',
    '--x\r\nContent-Disposition: form-data; name="0"; filename="x"\r\n',
    '--x--\r\n',
  ].join('\r\n');

const rows = Object.entries(DOCUMENTS).flatMap(([what, document]) => {
  const json = JSON.stringify({ query: document });
  const form = String(new URLSearchParams({ query: document }));
  return [
    [what, 'text/plain', json],
    [what, 'text/plain; charset=utf-8; application/json', json],
    [what, 'application/x-www-form-urlencoded', form],
    [what, 'multipart/form-data; boundary=x', multipart(json)],
    [what, undefined, json],
  ] as const;
});

test.each(rows)(
  'a %s in a POST with the Content-Type %s is not executed, even with a key',
  async (_what, type, body) => {
    const headers = { ...(type === undefined ? {} : { 'Content-Type': type }), Origin: 'http://x' };
    // The query string stands for the one that the form's action URL can have.
    const path = `/graphql?${String(new URLSearchParams({ query: DOCUMENTS.query }))}`;
    const { status, text } = await nodeRequest(gateway, path, { method: 'POST', headers, body });
    expect([status, text, await database.pet.count()]).toEqual([
      415,
      graphqlErrorBody(
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        wrongBody('Content-Type', type?.split(';')[0]),
      ),
      0,
    ]);
  },
);
