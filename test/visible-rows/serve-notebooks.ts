import { inject } from 'vitest';
import { createGateway, startGateway } from '../../packages/gateway/src/gateway.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { createDatabase } from '../support/database.ts';
import { requestOf, type Answer } from '../support/gateway.ts';
import { models } from './generated/batched-models.ts';
import { PrismaClient } from './generated/client.ts';
import { createApi, keyNames } from './notebooks.ts';

const gateway = createGateway({
  name: 'notebook-store',
  title: 'Notebooks',
  description: 'notes in folders',
  version: '1.0.0',
  access: { keyPrefix: 'notes_' },
  prisma: { Client: PrismaClient, models, migrations: new URL('./migrations/', import.meta.url) },
  load: () => Promise.resolve(createApi()),
});

/** A caller of both surfaces. */
export interface Notebooks {
  readonly request: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Sends a body as JSON. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  readonly graphql: (query: string, variables?: object) => Promise<Answer>;
  /** What a resolver of the store's own answers. */
  readonly own: (ask: string) => Promise<unknown>;
}

/**
 * Notes of topic 1 by ann (1 and 2), bob (3 to 5, of whom 5 is in a folder of his) and eve (6), until the tests of the file are
 * over. Note 2 is in a folder of ann's, and note 1 in one of bob's. Each has a tag.
 */
export async function serveNotebooks() {
  const DATABASE_URL = await createDatabase(inject('postgresUrl'));
  const started = await startGateway(gateway, { DATABASE_URL });
  onFileFinished(() => started[Symbol.asyncDispose]());
  const { database, url } = started;
  await database.topic.createMany({ data: ['one', 'two'].map((name) => ({ name, team: 'red' })) });
  await database.folder.createMany({
    data: [1n, 2n].map((ownerId) => ({ ownerId, team: 'red', name: `of ${ownerId}`, rank: 0 })),
  });
  const owners = [
    ['ann-1', 1n, 2n],
    ['ann-2', 1n, 1n],
    ['bob-1', 2n, null],
    ['bob-2', 2n, null],
    ['bob-3', 3n, 2n],
    ['eve-1', 4n, null],
  ] as const;
  for (const [code, [title, ownerId, folderId]] of owners.entries()) {
    await database.note.create({
      data: {
        title,
        ownerId,
        folderId,
        code,
        team: 'red',
        rank: 0,
        topicId: 1n,
        tags: { create: { label: title, ownerId } },
      },
    });
  }

  async function as(name: string): Promise<Notebooks> {
    const request = requestOf(url, await started.createKey(name));
    const [key] = await database.$queryRaw<
      { id: bigint }[]
    >`SELECT id FROM _gateway_api_keys WHERE name = ${name}`;
    keyNames.set(key?.id ?? 0n, name);
    const send: Notebooks['send'] = (method, path, body, headers = {}) =>
      request(path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const graphql: Notebooks['graphql'] = (query, variables) =>
      send('POST', '/graphql', { query, variables });
    const own = async (ask: string): Promise<unknown> =>
      (await graphql('query($ask: String!) { own(ask: $ask) }', { ask })).json;
    return { request, send, graphql, own };
  }
  return { as, database };
}

/** An answer without what every request has of its own, and with another id in the place of the one that was asked for. */
export function answerAbout({ status, text, headers }: Answer, id: string) {
  return { status, text: text.replaceAll(id, 'ID'), tag: headers.get('ETag') };
}
