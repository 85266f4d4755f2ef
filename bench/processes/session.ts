import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../competitors.ts';
import { documents, ownDocuments } from '../peers/documents.ts';
import { peers } from '../peers/peers.ts';
import { callsOf, type Workload } from '../load/calls.ts';
import {
  graphqlRequest,
  requestLines,
  restRequest,
  type Request,
  type Surface,
} from '../load/requests.ts';
import { petsOf } from '../plan.ts';
import { runPackageScript } from './command.ts';
import { type Postgres, startPostgres, type Store } from './postgres.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

/** A server under test, and what is needed to send it requests. */
export interface Subject {
  readonly server: Server;
  readonly store: Store;
  /** The processes of its database, if it doesn't use the shared PostgreSQL. */
  readonly databaseProcesses?: readonly number[];
  readonly key: string;
  /** Whether it always returns the same response, without a database. */
  readonly constant: boolean;
  /** The requests of a workload, the same in every run. */
  readonly requests: (surface: Surface, workload: Workload) => readonly Request[];
  /** Writes the requests of a workload to a file for wrk. Resolves to the file's path. */
  readonly requestFile: (surface: Surface, workload: Workload) => Promise<string>;
}

/** The measured servers. */
export interface Servers {
  /** The PostgreSQL that all subjects without their own database share. */
  readonly postgres: Pick<Postgres, 'processId'>;
  readonly subjects: ReadonlyMap<string, Subject>;
}

export interface Session extends Servers {
  readonly postgres: Postgres;
}

/**
 * Starts PostgreSQL and the servers of these names, each with the table that it needs.
 *
 * @param folder for all files
 * @param stack stops everything that is started, even if a later part fails to start
 */
export async function startSession(
  names: ReadonlySet<string>,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Session> {
  const postgres = stack.use(await startPostgres(join(folder, 'data')));
  const stores = new Map<number, { readonly store: Store; readonly key: string }>();
  const storeOf = async (pets: number) => {
    const found = stores.get(pets);
    if (found !== undefined) return found;
    const store = stack.use(await postgres.createStore(pets, signal));
    const env = { DATABASE_URL: store.url };
    const key = await runPackageScript('keys', ['create', 'bench'], env, signal);
    stores.set(pets, { store, key });
    return { store, key };
  };
  const subjects = new Map<string, Subject>();
  for (const name of names) {
    const { store, key } = await storeOf(petsOf(name));
    const server = stack.use(await startCompetitor({ name, store, folder, signal }));
    subjects.set(name, {
      server,
      store,
      key,
      constant: LIMITS.has(name),
      ...requestsFor(name, store.pets, folder),
    });
  }
  return { postgres, subjects };
}

/** Starts the gateway or a peer on a store. */
async function startCompetitor({
  name,
  store,
  ...options
}: Pick<ServerOptions, 'name' | 'folder' | 'signal'> & {
  readonly store: Store;
}): Promise<Server> {
  const peer = peers.find((each) => each.name === name);
  return startServer({
    ...options,
    name,
    file: peer === undefined ? 'src/main.ts' : peer.file,
    // The gateway counts requests for its rate limit, as in production, but never reaches the limit.
    env: {
      DATABASE_URL: store.url,
      ...(peer
        ? { NODE_ENV: 'production' }
        : // As `npm start` does.
          { RATE_LIMIT: '900000000/1s', NODE_OPTIONS: '-r ./packages/gateway/preflight.cjs' }),
    },
  });
}

export function requestsFor(
  name: string,
  pets: number,
  folder: string,
): Pick<Subject, 'requests' | 'requestFile'> {
  const own = documents[name] ?? ownDocuments;
  const requests = (surface: Surface, workload: Workload) =>
    callsOf(workload, pets).map((call) =>
      surface === 'rest' ? restRequest(call) : graphqlRequest(call, own),
    );
  return { requests, requestFile: requestFiles(requests, name, folder) };
}

/** Writes the requests of each workload to a file, unless that was done before. */
export function requestFiles(
  requests: Subject['requests'],
  name: string,
  folder: string,
): Subject['requestFile'] {
  const written = new Set<string>();
  return async (surface, workload) => {
    const file = join(folder, `${name}-${surface}-${workload}.requests`);
    if (!written.has(file)) {
      await writeFile(file, requestLines(requests(surface, workload)));
      written.add(file);
    }
    return file;
  };
}
