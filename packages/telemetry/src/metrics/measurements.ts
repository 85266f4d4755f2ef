import type { Server } from 'node:net';
import type { Pool } from 'pg';
import type { AuthenticationOutcome } from '@gateway/log/log';

export type Surface = 'rest' | 'graphql' | 'other';

export interface EndedRequest {
  readonly surface: Surface;
  /** One of the few that this program knows, never a name of the client's; undefined if it came to none. */
  readonly operation: string | undefined;
  /** Of the answer; undefined if the client gave up before there was one. */
  readonly status: number | undefined;
  /** Undefined if nobody asked who calls. */
  readonly authentication: AuthenticationOutcome | undefined;
  /** From the request's headers to the end of the answer. */
  readonly seconds: number;
}

/** Where calls that are the same share one. */
export type SharingPlace = 'answers' | 'operations';

/** What there may be so much of at a time, and no more. */
export type Bounded = 'requests' | 'connections';

/** Of a deprecated field. */
export interface Removal {
  readonly field: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * What the rest of the program tells of what it does, for metrics. Whatever is given becomes a label: no
 * text of a client's, no key, no address, and of everything a few values only.
 */
export interface Measurements {
  readonly requestBegins: () => void;
  readonly requestEnds: (request: EndedRequest) => void;
  /**
   * What came and was no request.
   *
   * @param status that it was answered with; undefined for a connection too many, closed unanswered
   */
  readonly refusedUnread: (status: number | undefined) => void;
  /** What /readyz has said. */
  readonly readinessTold: (isReady: boolean) => void;
  /** Gives what is to be told of each call at a place: whether it led, or joined another. */
  readonly sharingAt: (place: SharingPlace) => (led: boolean) => void;
  /** Calls that went to the database in one statement. */
  readonly batchSent: (calls: number) => void;
  /** @param errorType the code of what it failed with, if it did */
  readonly statementEnds: (name: string, seconds: number, errorType: string | undefined) => void;
  readonly deprecatedCall: (keyId: bigint, field: string) => void;
  readonly announceRemovals: (removals: readonly Removal[]) => void;
  /** @param keyId undefined for a request whose key isn't known to be valid */
  readonly requestWaited: (keyId: string | undefined, seconds: number) => void;
  readonly announceMaximum: (of: Bounded, maximum: number) => void;
  /** These are looked at whenever somebody asks for the metrics. */
  readonly watchPool: (name: string, pool: Pool) => void;
  readonly watchConnections: (server: Server) => void;
  readonly watchWaiting: (
    waiting: () => Iterable<readonly [keyId: string | undefined, requests: number]>,
  ) => void;
}

/**
 * Whoever measures, or nobody: then to ask for it is all that it costs. There is one process, and so one of
 * these, as there is one log.
 */
export let measurements: Measurements | undefined;

/** To be called before anything is made that is to be measured. */
export function measureBy(measuring: Measurements | undefined): void {
  measurements = measuring;
}
