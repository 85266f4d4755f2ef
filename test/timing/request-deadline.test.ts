import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { connectClient } from '../support/connect-client.ts';
import { graphqlErrorBody } from '../support/error-body.ts';
import { AS_IN_PRODUCTION, startGateway } from '../support/gateway.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { keys } from '../support/store-commands.ts';

/** The seconds that each create takes, which is less than the statement timeout. */
const SLOW = 0.2;

const add = (name: string) => `${name}: createPet(input: { name: "Rex", categoryId: 1 }) { id }`;

test('a request whose statements together take too long gets 503', async () => {
  const { post, database } = await startGateway(AS_IN_PRODUCTION);
  await using stalls = await measureStalls();
  await database.$executeRawUnsafe(
    `CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${SLOW}); RETURN NEW; END'`,
  );
  await database.$executeRaw`CREATE TRIGGER slow BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION take_time()`;
  const send = async (...names: readonly string[]) => {
    const began = performance.now();
    const answer = await post('/graphql', { query: `mutation { ${names.map(add).join(' ')} }` });
    const milliseconds = performance.now() - began;
    return { ...answer, milliseconds: milliseconds - (await stalls.totalWithin(began)) };
  };

  const one = await send('a');
  expect(one.status).toBe(200);
  const many = await send(...Array.from({ length: 12 }, (_, index) => `many${index}`));
  expect([many.status, many.headers.get('Retry-After')]).toEqual([503, '1']);
  expect(many.text).toBe(
    graphqlErrorBody(
      503,
      'SERVICE_UNAVAILABLE',
      'The database took too long to respond. Please try again.',
    ),
  );
  expect(many.milliseconds).toBeLessThan(2000);
});

test('a command waits longer for a busy database than a request does', async () => {
  const { databaseUrl, request } = await startGateway(AS_IN_PRODUCTION);
  const other = await connectClient(databaseUrl);
  await other.query('BEGIN; LOCK TABLE _gateway_api_keys');
  const command = runInProcess(keys, ['list'], { env: { DATABASE_URL: databaseUrl } });
  // Each request takes 0.8 s, so the command has waited longer than one request when the second ends.
  expect((await request('/v1/pets')).status).toBe(503);
  expect((await request('/v1/pets')).status).toBe(503);
  await other.query('COMMIT');
  expect(await command).toMatchObject({ code: 0, stderr: '' });
});
