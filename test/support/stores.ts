import type {
  Gateway as GatewayOfStore,
  StartedGateway,
} from '../../packages/gateway/src/definition.ts';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { inject } from 'vitest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { startGateway } from '@store-gateway/gateway';
import { onFileFinished } from './clean-up.ts';
import { connectClient } from './connect-client.ts';
import { createDatabase } from './database.ts';
import { requestOf, sendTo, type Gateway, type Answer } from './gateway.ts';
import {
  contractOf,
  type Contract,
  object,
  type DocumentedOperation,
  writesOf,
} from './openapi.ts';
import { runEntry, type Run } from './process.ts';
import { firstKey, startPatientService, type Service } from './service.ts';
import { isJsonObject, parseExactly } from '@store-gateway/ops';
import { memberAt, objectsIn } from './json-members.ts';

/** A store that is served, and what its contracts say of it. */
type ServedStore = Awaited<ReturnType<typeof serveStore>>;

/** One that runs as a process of its own. */
export type StoreProcess = Awaited<ReturnType<typeof runStore>>;

interface StoreOfRepository {
  readonly name: string;
  readonly gateway: Pick<
    GatewayOfStore,
    'title' | 'access' | 'serviceName' | 'metricsPrefix' | 'prisma'
  >;
  readonly folder: string;
  readonly start: (env: NodeJS.ProcessEnv) => Promise<Started>;
}

type Started = Pick<StartedGateway<object>, 'url' | 'createKey' | typeof Symbol.asyncDispose>;

/** Every store of this repository. */
export const STORES: readonly [StoreOfRepository, StoreOfRepository] = [
  {
    name: animals.name,
    gateway: animals,
    folder: '../..',
    start: (env) => startGateway(animals, env),
  },
  {
    name: library.name,
    gateway: library,
    folder: '../../examples/library',
    start: (env) => startGateway(library, env),
  },
];

/** Serves a store in this process, by default on a new database, until the tests of the file are over. */
export async function serveStore(store: StoreOfRepository, databaseUrl?: string) {
  const env = { DATABASE_URL: databaseUrl ?? (await createDatabase(inject('postgresUrl'))) };
  const started = await store.start(env);
  onFileFinished(() => started[Symbol.asyncDispose]());
  return readStore(store, env, started.url, await started.createKey('test'));
}

/** Runs a store as a process of its own, by default on a new database, until the tests of the file are over. */
export async function runStore(store: StoreOfRepository, databaseUrl?: string) {
  const root = fileURLToPath(new URL(store.folder, import.meta.url));
  const env = {
    DATABASE_URL: databaseUrl ?? (await createDatabase(inject('postgresUrl'))),
    METRICS_PORT: '0',
  };
  const service = await startStore({ root, env });
  return { ...(await readStore(store, env, service.url, await firstKey(service))), root, service };
}

async function readStore(
  { name, gateway }: StoreOfRepository,
  env: NodeJS.ProcessEnv,
  url: string,
  key: string,
) {
  const request = requestOf(url, key);
  const contract = contractOf((await request('/v1/openapi.json')).json);
  const schema = buildSchema((await request('/schema.graphql')).text);
  const resources = resourcesOf(contract);
  const checked = expectDocumented(request, contract);
  return { name, gateway, env, key, request: checked, contract, schema, resources };
}

/** Has requests fail that get a status which the contract doesn't have for their operation. */
function expectDocumented(
  request: Gateway['request'],
  { operations }: Contract,
): Gateway['request'] {
  return async (path, init) => {
    const answer = await request(path, init);
    const method = init?.method ?? 'GET';
    const operation = operations.find(
      (each) =>
        each.method === method &&
        new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:[?]|$)`).test(path),
    );
    if (operation?.responses.has(answer.status) === false) {
      throw new Error(`${method} ${path}: undocumented ${answer.status}: ${answer.text}`);
    }
    return answer;
  };
}

/** Another process of a store, or one with other settings. */
export function startStore({
  root,
  env,
}: {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}): Promise<Service> {
  return startPatientService(env, (run: Run) => runEntry('src/main.ts', { ...run, root }));
}

/** What is listed, added and got at one address. */
interface Resource {
  readonly plural: string;
  readonly list: DocumentedOperation;
  readonly create: DocumentedOperation;
  readonly get: DocumentedOperation;
  /** The members of a new one that refer to another resource, by the links of the document. */
  readonly references: readonly { readonly member: string; readonly plural: string }[];
}

/** The resources of a contract; what others refer to comes before them. */
function resourcesOf(contract: Contract): readonly Resource[] {
  const { operations } = contract;
  return writesOf(contract)
    .filter(({ operation }) => operation.responses.has(201))
    .map(({ operation: create, references }) => ({
      plural: pluralOf(create),
      create,
      list: findOperation(
        operations,
        ({ method, path }) => method === 'GET' && path === create.path,
      ),
      get: findOperation(
        operations,
        ({ method, path }) => method === 'GET' && path.startsWith(`${create.path}/{`),
      ),
      references: references.map(({ member, parent }) => ({ member, plural: pluralOf(parent) })),
    }));
}

/**
 * A body that adds one of a resource, like none that another number makes.
 *
 * @param idIn the id of the one that it refers to, by the plural
 */
function newBody(
  { create: { body }, references }: Resource,
  number: number,
  idIn: (plural: string) => unknown,
): Record<string, unknown> {
  const distinct = Object.fromEntries(
    Object.entries(body?.example ?? {}).map(([member, example]) => {
      const { type, format, enum: values, minLength = 1 } = memberSchema(body?.schema, member);
      const isText = type === 'string' && format === undefined && values === undefined;
      const text = String(number).padStart(Number(minLength), '0');
      return [member, isText ? text : example];
    }),
  );
  const referring = references.map(({ member, plural }) => [member, idIn(plural)] as const);
  return { ...distinct, ...Object.fromEntries(referring) };
}

/** What is required of a new one. */
export function requiredMembers({ create: { body } }: Resource): string[] {
  return [body?.schema['required'] ?? []].flat().map(String);
}

function memberSchema(schema: Record<string, unknown> = {}, member: string) {
  const ofMember = object(schema['properties'])[member];
  return isJsonObject(ofMember) ? ofMember : {};
}

function pluralOf({ path }: DocumentedOperation): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function findOperation(
  operations: readonly DocumentedOperation[],
  fits: (operation: DocumentedOperation) => boolean,
): DocumentedOperation {
  const operation = operations.find(fits);
  if (operation === undefined) {
    throw new Error('a resource that is added can neither be listed nor got');
  }
  return operation;
}

/** How many rows each resource has. */
export const ROWS = 3;

/** Every store, each on a database of its own, with rows of each resource whose ids a double can't hold. */
export function fillStores() {
  return Promise.all(STORES.map(async (store) => fill(await serveStore(store))));
}

async function fill(store: ServedStore) {
  await useLargeIds(store);
  /** The responses with which the rows of a resource were added, by its plural. */
  const added = new Map<string, readonly Answer[]>();
  /** A body that adds one more, which refers to the last of what it refers to. */
  const body = (resource: Resource, number: number) =>
    newBody(resource, number, (plural) => idOf(added.get(plural)?.at(-1)));
  for (const resource of store.resources) {
    const answers: Answer[] = [];
    for (let number = 0; number < ROWS; number += 1) {
      answers.push(await post(store, resource.create.path, body(resource, number)));
    }
    added.set(resource.plural, answers);
  }
  return { ...store, added, body };
}

async function useLargeIds({ env, gateway }: ServedStore): Promise<void> {
  const client = await connectClient(env['DATABASE_URL'], onFileFinished);
  for (const { table, id } of Object.values(gateway.prisma.models)) {
    await client.query(`SELECT setval(pg_get_serial_sequence($1, $2), ${2n ** 53n})`, [table, id]);
  }
}

/** Sends a POST whose body has all digits of its integers. */
export function post(
  { request }: Pick<ServedStore, 'request'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return sendTo({ request })('POST', path, body, headers);
}

/** The id of a row, exact. */
export function idOf(answer: Pick<Answer, 'text'> | undefined): unknown {
  const row = parseExactly(answer?.text ?? '');
  return isJsonObject(row) ? row['id'] : undefined;
}

/** Titles with what patterns take for wildcards, each of five books. */
const TITLES = [
  'Emil',
  'emil',
  'Emil 100% sure',
  'Emil 100 sure',
  'a_b c',
  'axb c',
  'back\\slash',
  'Äpple',
  'Zoo',
];

/**
 * The library with 4 authors, 45 books and 50 loans, of which many are alike in all columns but the id.
 *
 * @param serve `runStore` for a process whose requests wait longer for the database
 */
export async function openLibrary(serve: typeof serveStore = serveStore) {
  const { request, env } = await serve(STORES[1]);
  const client = await connectClient(env['DATABASE_URL'], onFileFinished);
  await client.query(`INSERT INTO authors (name) SELECT 'Author' FROM generate_series(1, 4)`);
  await client.query(
    `INSERT INTO books (title, isbn, author_id)
    SELECT ($1::text[])[n % 9 + 1], lpad(n::text, 13, '0'), n % 4 + 1 FROM generate_series(1, 45) AS n`,
    [TITLES],
  );
  await client.query(`INSERT INTO loans (borrower, due, book_id)
    SELECT 'B' || n * 7 % 5, timestamptz '2026-01-01Z' + n * 11 % 6 * interval '1 day 1 ms', n % 45 + 1
    FROM generate_series(1, 50) AS n`);

  const graphql = (query: string, variables?: object): Promise<Answer> =>
    post({ request }, '/graphql', { query, variables });

  /** A page of a connection. */
  async function page(list: string, args: string, count = '') {
    const { json, text } = await graphql(
      `{ page: ${list}Connection(${args}) { edges { cursor node { id } } ${count} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    );
    const found = memberAt(json, 'data', 'page');
    if (!isJsonObject(found)) {
      throw new Error(text);
    }
    const edges = objectsIn(found['edges']);
    return {
      ids: edges.map((edge) => String(memberAt(edge, 'node', 'id'))),
      cursors: edges.map(({ cursor }) => String(cursor)),
      pageInfo: isJsonObject(found['pageInfo']) ? found['pageInfo'] : {},
      totalCount: found['totalCount'],
    };
  }

  /** The ids that a statement finds. */
  async function idsBy(sql: string): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>(sql);
    return rows.map(({ id }) => id);
  }

  return { request, graphql, page, idsBy, query: (sql: string) => client.query(sql) };
}

/** The ids of a list of REST. */
export function idsOf({ json }: Answer): string[] {
  return objectsIn(json).map(({ id }) => String(id));
}

/** The messages of GraphQL's errors. */
export function messageOf({ json }: Answer): string {
  const errors = objectsIn(memberAt(json, 'errors'));
  return errors.map(({ message }) => String(message)).join();
}
