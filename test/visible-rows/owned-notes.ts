import { onFileFinished } from '../support/clean-up.ts';
import { requestOf, type Answer } from '../support/gateway.ts';
import { idOf, keysOf, MISTAKES, type Design, type Rule, type World } from './design.ts';
import { openServed } from './serve.ts';

/** Ann sees owner 1's rows, bob sees those of owners 2 and 3, and staff sees all rows. */
const OWNED: Rule = {
  columns: ['ownerId'],
  answers: {
    ann: { ownerId: '1' },
    bob: { ownerId: ['2', '3'] },
    staff: 'all',
    ...Object.fromEntries(keysOf(MISTAKES).map((name) => [name, name])),
  },
};

const DESIGN: Design = {
  rules: { Topic: null, Folder: OWNED, Note: OWNED, Tag: null },
  folderFilters: 'none',
  noteFilters: 'folderId',
  isOrdered: true,
  isSearched: false,
  isCounted: true,
  byIds: true,
  sharedGets: false,
  toOne: true,
  toMany: true,
  own: true,
};

const NOTES = [
  ['ann-1', '1', '2'],
  ['ann-2', '1', '1'],
  ['bob-1', '2', null],
  ['bob-2', '2', null],
  ['bob-3', '3', '2'],
  ['eve-1', '4', null],
] as const;

/**
 * Notes 1 to 6 on topic 1, each with a tag. Note 2 is in folder 1, which is ann's; notes 1 and 5 are in folder 2, which
 * is bob's.
 */
const WORLD: World = {
  Topic: ['one', 'two'].map((name, index) => ({ id: String(index + 1), team: 'red', name })),
  Folder: ['1', '2'].map((id) => ({
    id,
    ownerId: id,
    team: 'red',
    name: `of ${id}`,
    rank: '0',
    parentId: null,
  })),
  Note: NOTES.map(([title, ownerId, folderId], index) => ({
    id: String(index + 1),
    ownerId,
    team: 'red',
    title,
    code: String(index),
    rank: '0',
    folderId,
    topicId: '1',
  })),
  Tag: NOTES.map(([label, ownerId], index) => ({
    id: idOf('Tag', index + 1),
    ownerId,
    label,
    noteId: String(index + 1),
  })),
};

/** Sends one caller's requests to both APIs. */
export interface Caller {
  readonly request: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Sends a body as JSON. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  readonly graphql: (query: string, variables?: object) => Promise<Answer>;
}

/** Serves the notes until the file's tests are over. */
export async function serveOwnedNotes() {
  const { tables, database, serve } = await openServed();
  await tables.write(WORLD);
  const { url, [Symbol.asyncDispose]: close } = await serve(DESIGN);
  onFileFinished(() => close());
  const as = (name: string): Caller => {
    const request = requestOf(url, name);
    const send: Caller['send'] = (method, path, body, headers) =>
      request(path, {
        method,
        headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'same', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const graphql: Caller['graphql'] = (query, variables) =>
      send('POST', '/graphql', { query, variables });
    return { request, send, graphql };
  };
  return { as, database };
}

/** Returns what an answer about a row reveals, with the row's id replaced by another. */
export function answerAbout({ status, text, headers }: Answer, id: string) {
  return { status, text: text.replaceAll(id, 'ID'), tag: headers.get('ETag') };
}
