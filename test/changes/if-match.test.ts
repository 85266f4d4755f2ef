import { describe, expect, test } from 'vitest';
import { PRECONDITION_FAILED } from '@store-gateway/graphql';
import { NO_TAG_OF_ROW } from '../../packages/rest/src/preconditions.ts';
import { createdPath } from '../support/created-path.ts';
import { changesOf } from '../support/pet-changes.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
const { request } = gateway;
const { newPet, patch, remove, tagOf } = changesOf(gateway);

describe('If-Match', () => {
  test('of eight changes of one version one is made', async () => {
    const path = await newPet();
    const tag = await tagOf(path);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_none, number) =>
        patch(path, `{"name":"Rex ${number}"}`, { 'If-Match': tag }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array<number>(7).fill(412),
    ]);
    const made = answers[statuses.indexOf(200)];
    expect((await request(path)).text).toBe(made?.text);
    expect(await tagOf(path)).toBe(made?.headers.get('ETag'));
    expect(await tagOf(path)).not.toBe(tag);
    expect(answers.find(({ status }) => status === 412)?.json).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: PRECONDITION_FAILED,
    });
  });

  test('of several tags one has to match, and * any animal', async () => {
    const path = await newPet();
    const tag = await tagOf(path);
    const headers = { 'If-Match': `"other", ${tag}` };
    expect((await patch(path, '{"status":"pending"}', headers)).status).toBe(200);
    expect((await patch(path, '{"status":"sold"}', headers)).status).toBe(412);
    expect((await patch(path, '{"status":"sold"}', { 'If-Match': '*' })).status).toBe(200);
    expect((await remove(path, { 'If-Match': tag })).status).toBe(412);
    expect((await remove(path, { 'If-Match': await tagOf(path) })).status).toBe(204);
    expect((await remove(path, { 'If-Match': tag })).status).toBe(404);
  });

  test.each<(tag: string) => string>([
    (tag) => `W/${tag}`,
    (tag) => tag.replace(/"$/, '-gzip"'),
    (tag) => `W/${tag.replace(/"$/, '--gzip"')}`,
  ])('a tag that a proxy has changed is that of the same version: %s', async (changed) => {
    const path = await newPet();
    const tag = changed(await tagOf(path));
    expect((await patch(path, '{"status":"sold"}', { 'If-Match': tag })).status).toBe(200);
    expect((await patch(path, '{"status":"pending"}', { 'If-Match': tag })).status).toBe(412);
  });

  test('the tag of a created animal is that of its first version, which a change may expect', async () => {
    const created = await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const path = createdPath(created, '/v1/pets');
    const tag = created.headers.get('ETag') ?? '';
    expect(tag).toBe(await tagOf(path));
    expect((await patch(path, '{"status":"sold"}', { 'If-Match': tag })).status).toBe(200);
    expect((await patch(path, '{"status":"sold"}', { 'If-Match': tag })).status).toBe(412);
  });

  test('the tag of a list is told apart from that of an animal', async () => {
    const path = await newPet();
    const headers = { 'If-Match': (await request('/v1/pets')).headers.get('ETag') ?? '' };
    expect((await patch(path, '{"status":"sold"}', headers)).json).toEqual({
      code: 'PRECONDITION_FAILED',
      message: NO_TAG_OF_ROW,
      status: 412,
    });
    expect((await patch('/v1/pets/123456789', '{"status":"sold"}', headers)).status).toBe(404);
  });
});
