import type {
  Gateway as GatewayOfStore,
  StartedGateway,
} from '../../packages/gateway/src/definition.ts';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { startGateway } from '@store-gateway/gateway';
import { keptForFile, onFileFinished } from './clean-up.ts';
import { connectClient } from './connect-client.ts';
import { emptyDatabase } from './new-database.ts';
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

/** A store that is served, with its contracts. */
type ServedStore = Awaited<ReturnType<typeof serveStore>>;

/** A store that runs in its own process. */
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

/** Every store in this repository. */
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

/** Serves a store in this process, by default on a new database, until the file's tests are over. */
export async function serveStore(store: StoreOfRepository, databaseUrl?: string) {
  const env = { DATABASE_URL: databaseUrl ?? (await emptyDatabase()) };
  const started = keptForFile(await store.start(env));
  return readStore(store, env, started.url, await started.createKey('test'));
}

/** Runs a store in its own process, by default on a new database, until the file's tests are over. */
export async function runStore(store: StoreOfRepository, databaseUrl?: string) {
  const root = fileURLToPath(new URL(store.folder, import.meta.url));
  const env = {
    DATABASE_URL: databaseUrl ?? (await emptyDatabase()),
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

/** Makes requests fail whose status the contract does not document for their operation. */
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

/** Starts another process for a store, or one with different settings. */
export function startStore({
  root,
  env,
}: {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}): Promise<Service> {
  return startPatientService(env, (run: Run) => runEntry('src/main.ts', { ...run, root }));
}

/** A resource that is listed, created and read at one address. */
interface Resource {
  readonly plural: string;
  readonly list: DocumentedOperation;
  readonly create: DocumentedOperation;
  readonly get: DocumentedOperation;
  /** The members of a new resource that refer to other resources, according to the document's links. */
  readonly references: readonly { readonly member: string; readonly plural: string }[];
}

/** Returns a contract's resources; each comes after those that it refers to. */
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
 * Returns a body that creates a resource and differs for every number.
 *
 * @param idIn returns the id of the referenced resource, by its plural
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

/** Returns the members that a new resource requires. */
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

/** The number of rows for each resource. */
export const ROWS = 3;

/** Serves every store on a new database, with rows for each resource whose ids exceed what a double can hold. */
export function fillStores() {
  return Promise.all(STORES.map(async (store) => fill(await serveStore(store))));
}

async function fill(store: ServedStore) {
  await useLargeIds(store);
  /** The responses to the creates, by the resource's plural. */
  const added = new Map<string, readonly Answer[]>();
  /** Returns a body that creates another row, which refers to the last rows of other resources. */
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

/** Returns a row's exact id. */
export function idOf(answer: Pick<Answer, 'text'> | undefined): unknown {
  const row = parseExactly(answer?.text ?? '');
  return isJsonObject(row) ? row['id'] : undefined;
}

/** Titles that contain wildcard characters or resemble each other; each belongs to five books. */
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
 * Serves the library with 4 authors, 45 books and 50 loans, many of which differ only in their id.
 *
 * @param serve pass `runStore` for a process whose requests wait longer for the database
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

  /** Returns a page of a connection. */
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

  /** Returns the ids that a statement selects. */
  async function idsBy(sql: string): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>(sql);
    return rows.map(({ id }) => id);
  }

  return { request, graphql, page, idsBy, query: (sql: string) => client.query(sql) };
}

/** Returns the ids in a REST list. */
export function idsOf({ json }: Answer): string[] {
  return objectsIn(json).map(({ id }) => String(id));
}

/** Returns the messages in a response's GraphQL errors. */
export function messageOf({ json }: Answer): string {
  const errors = objectsIn(memberAt(json, 'errors'));
  return errors.map(({ message }) => String(message)).join();
}
