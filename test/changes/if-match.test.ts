import { describe, expect, test } from 'vitest';
import { PRECONDITION_FAILED } from '@store-gateway/schema-extensions/precondition';
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

  test('a weak tag matches nothing', async () => {
    const path = await newPet();
    const headers = { 'If-Match': `W/${await tagOf(path)}` };
    expect((await patch(path, '{"status":"sold"}', headers)).status).toBe(412);
  });
});
