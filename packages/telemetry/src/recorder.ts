import type { Server } from 'node:net';
import type { AuthenticationOutcome } from '@gateway/log/log';

export interface EndedRequest {
  /** The part of the service that answered. */
  readonly surface: string;
  /** One of the server's own few names, never text of a client's; undefined if none was reached. */
  readonly operation: string | undefined;
  /** Undefined if the client gave up before there was a response. */
  readonly status: number | undefined;
  /** Undefined if the request needed no key. */
  readonly authentication: AuthenticationOutcome | undefined;
  /** From the end of the request's head to the end of the response. */
  readonly seconds: number;
}

/** What is read of a pool of connections, such as one of pg. */
export interface ConnectionPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** The planned removal of a deprecated field. */
export interface Removal {
  readonly field: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * What the program tells of its work, for metrics. Every string becomes a label value: one of a few, never a key, an
 * address or text of a client's.
 */
export interface Recorder {
  readonly requestStarted: () => void;
  readonly requestEnded: (request: EndedRequest) => void;
  /** @param status of the response; undefined for a connection over the limit, closed without one */
  readonly rejectedBeforeParsing: (status: number | undefined) => void;
  readonly readinessChecked: (isReady: boolean) => void;
  readonly limitSet: (of: 'requests' | 'connections', maximum: number) => void;
  /** @returns records each call at a place that coalesces: whether it led, or joined another */
  readonly coalescingAt: (place: 'answers' | 'operations') => (led: boolean) => void;
  /** @param size requests that one statement answers */
  readonly batchSent: (size: number) => void;
  /** @param errorType of a statement that failed */
  readonly statementEnded: (name: string, seconds: number, errorType?: string) => void;
  /** A call of the database client, and whether a prepared statement of ours or Prisma's engine answered it. */
  readonly databaseCalled: (model: string, operation: string, by: 'statement' | 'engine') => void;
  readonly deprecatedFieldCalled: (keyId: bigint, field: string) => void;
  readonly removalsPlanned: (removals: readonly Removal[]) => void;
  /** @param keyId undefined for a request without a key known to be valid */
  readonly requestWaited: (keyId: string | undefined, seconds: number) => void;
  /** What follows is read at each scrape. */
  readonly observePool: (name: string, pool: ConnectionPool) => void;
  readonly observeConnections: (server: Server) => void;
  readonly observeQueue: (
    waiting: () => Iterable<readonly [keyId: string | undefined, requests: number]>,
  ) => void;
}

function ignore(): void {
  // Metrics are off.
}

const NO_RECORDER: Recorder = {
  requestStarted: ignore,
  requestEnded: ignore,
  rejectedBeforeParsing: ignore,
  readinessChecked: ignore,
  limitSet: ignore,
  coalescingAt: () => ignore,
  batchSent: ignore,
  statementEnded: ignore,
  databaseCalled: ignore,
  deprecatedFieldCalled: ignore,
  removalsPlanned: ignore,
  requestWaited: ignore,
  observePool: ignore,
  observeConnections: ignore,
  observeQueue: ignore,
};

/** The process's recorder, a no-op while metrics are off. */
export let recorder = NO_RECORDER;

/** Must be called before anything is created that is to be recorded. */
export function installRecorder(installed: Recorder = NO_RECORDER): void {
  recorder = installed;
}
