import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway, type Answer } from '../support/gateway.ts';

const STORE = 'https://shop.example/store';
const REX = { name: 'Rex', categoryId: 1 };

const gateway = await startGateway({ publicUrl: STORE });

function targetsOf({ headers }: Answer): (string | undefined)[] {
  return Array.from((headers.get('Link') ?? '').matchAll(/<([^>]*)>/g), ([, target]) => target);
}

test('with PUBLIC_URL, the links to list pages and new animals begin with it', async () => {
  const added = await gateway.post('/v1/pets', REX);
  const id = /"id":(\d+)/.exec(added.text)?.[1];
  expect(added.headers.get('Location')).toBe(`${STORE}/v1/pets/${id}`);
  await gateway.post('/v1/pets', REX);
  const list = `${STORE}/v1/pets`;
  expect(targetsOf(await gateway.request('/v1/pets?limit=1'))).toEqual([
    `${list}?limit=1`,
    `${list}?limit=1&after=${id}`,
  ]);
  expect(targetsOf(await gateway.request('/v1/pets'))).toEqual([list]);
});

test('with PUBLIC_URL, the links of a deprecation are absolute URLs', async () => {
  expect(targetsOf(await gateway.request('/v1/pets/0'))).toEqual([
    `${STORE}/v1/pets?id=0`,
    `${STORE}/docs#/animals/getPet`,
  ]);
  const [successor, documentation] = targetsOf(await gateway.graphql('{ pet(id: 0) { id } }'));
  expect(successor).toContain(`${STORE}/graphql?query=%7B%20pets`);
  expect(documentation).toBe(`${STORE}/docs`);
});

test('with PUBLIC_URL, the server URL in the OpenAPI document begins with it, in JSON and YAML', async () => {
  const { json } = await gateway.request('/v1/openapi.json');
  expect(json).toHaveProperty('servers.0.url', `${STORE}/v1`);
  const yaml = await gateway.request('/v1/openapi.yaml');
  expect(yaml.text).toContain(`url: ${STORE}/v1\n`);
});

test.each(['/', '/v1'])(
  'with PUBLIC_URL, the addresses listed at %s begin with it',
  async (path) => {
    const { json } = await gateway.request(path);
    const addresses = Object.values(isJsonObject(json) ? json : {});
    expect(addresses).toContain(`${STORE}/graphql`);
    expect(addresses.filter((address) => !String(address).startsWith(`${STORE}/`))).toEqual([]);
  },
);
