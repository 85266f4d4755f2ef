import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { codedError } from '@store-gateway/ops/errors';
import {
  logRequest,
  pathOf,
  recorder,
  type RequestContext,
  requestContext,
  type RouteOf,
  tracer,
} from '@store-gateway/ops';
import { createFairQueue, type FairQueue, holdsKey, keyIdOf } from './fair/fair-queue.ts';
import { connectionOf } from './connection.ts';
import { allowOrigins } from './cors.ts';
import {
  type Endpoint,
  endpointPathOf,
  routeTo,
  serverMethods,
  serverOptions,
} from './endpoints.ts';
import { createHealth, type Health, isProbe, otherProbes } from './health.ts';
import { type ClientAddress, createClientAddress } from './message/client-address.ts';
import { errorWriter, type WriteError } from './message/error-writer.ts';
import {
  contextOf,
  createReject,
  isUnderstood,
  limitHeads,
  shapeBy,
  type SurfaceOf,
} from './request-head.ts';
import { type Layer, nested, type Step, runSteps } from './steps.ts';
import { createOpenShares } from './fair/execution-slots.ts';

const OVERLOADED = codedError(
  'OVERLOADED',
  'too many concurrent requests from this client, or too many connections',
);

/** Options for how requests are answered, counted and limited, and for additional steps. */
export interface RequestListenerOptions {
  /** The server's endpoints. By default, it only answers probes and `OPTIONS *`. */
  readonly endpoints?: readonly Endpoint[];
  /**
   * The Express app that answers all other requests, which get NOT_FOUND by default. Requests to endpoints don't pass through its
   * middleware.
   */
  readonly app?: Express | undefined;
  /** Writes the errors for unsupported methods at the probes' paths. Defaults to the format of the API at the path. */
  readonly writeError?: WriteError;
  /**
   * Returns the client that sent a request. By default, each address is a client, and gets the same share of open requests as a
   * key.
   */
  readonly clientOf?: ClientOf;
  /** Returns the address that a request comes from. Defaults to the socket's address, because no proxy is trusted by default. */
  readonly clientAddress?: ClientAddress;
  /** The queue in which requests wait for their turn. Defaults to a new one. */
  readonly queue?: FairQueue;
  /** Answers /livez and /readyz. By default, the server is always ready. */
  readonly health?: Health;
  /** Maximum number of open requests. Defaults to 1000. */
  readonly maximumOpenRequests?: number;
  /** Origins whose pages may read responses, or '*'. By default, there are none. */
  readonly corsOrigins?: readonly string[];
  /**
   * Request headers that these pages may send in addition to those that the server and common clients use. By default, there are
   * none.
   */
  readonly corsHeaders?: readonly string[];
  /** Returns the API at a path; errors have that API's format. Defaults to REST. */
  readonly surfaceOf?: SurfaceOf;
  /** Returns the name of a request's route, for traces. Defaults to its endpoint's path. */
  readonly routeOf?: RouteOf;
  /** The share of requests to log, among those that neither fail nor are slow. Defaults to all. */
  readonly logSample?: number;
  /**
   * Steps that every request except a probe passes through, in this order, before its endpoint is found, and before it is
   * rejected because of its head or an overload. Input that Node can't parse skips them.
   */
  readonly steps?: readonly Step[];
}

/**
 * Creates the listener for a server's requests. It queues each request for its client's turn, even one that will be rejected,
 * because rejecting it takes time, too. Requests are logged, traced and limited before they are answered.
 */
export function createRequestListener({
  endpoints: given = [],
  app,
  clientAddress = createClientAddress([]),
  clientOf = clientBy(clientAddress),
  queue = createRequestQueue(),
  health = createHealth(),
  maximumOpenRequests = 1000,
  corsOrigins = [],
  corsHeaders = [],
  surfaceOf = () => 'rest',
  writeError = errorWriter(shapeBy(surfaceOf)),
  routeOf = endpointPathOf,
  logSample = 1,
  steps = [],
}: RequestListenerOptions = {}): RequestListener {
  const methods = serverMethods(given);
  const endpoints = [...given, ...otherProbes(writeError), serverOptions(methods, writeError)];
  const { allow, answerPreflights } = allowOrigins(corsOrigins, { methods, headers: corsHeaders });
  const prepare: Layer = (next) => {
    const allowed = allow(next);
    return (request, response) => {
      if (!isUnderstood(request) || connectionOf(request.socket)?.isExcess === true) {
        // The connection can't be reused: a proxy may disagree about where the body ends, or there are too many connections.
        response.setHeader('Connection', 'close');
      }
      response.setHeader('X-Request-Id', requestContext.getStore()?.id ?? '');
      // Browsers must not run a response as a script unless it was sent as one.
      response.setHeader('X-Content-Type-Options', 'nosniff');
      allowed(request, response);
    };
  };
  const reject = createReject(surfaceOf);
  const routed = routeTo(endpoints, app, reject);
  const passing = (check: Layer): RequestListener =>
    nested(
      {
        trace: (next) => tracer.requests(next, routeOf),
        prepare,
        steps: (next) => runSteps(steps, next, errorWriter(shapeBy(surfaceOf))),
        check: (next) => answerPreflights(check(next)),
      },
      routed,
    );
  const answer = passing((next) => limitHeads(next, reject));
  const rejectOverload = passing(() => (request, response) => {
    reject(request, response, OVERLOADED);
  });
  const admit = createConcurrencyLimit(maximumOpenRequests);
  const runLogged = createRequestLog(surfaceOf, logSample);

  return (request, response) => {
    const arrivedAt = performance.now();
    if (isProbe(request) && isUnderstood(request)) {
      // Probes are answered before everything else: they are neither counted nor limited, and aren't in the request log.
      const name = probeClient(clientAddress(request));
      queue.run(name, () => {
        health.answer(pathOf(request.url ?? ''), response, async () => queue.turn(name));
      });
      return;
    }
    const client = clientOf(request);
    const isAdmitted = admit(client, response);
    queue.run(client.name, (waitedMs) => {
      const context = contextOf(response, waitedMs);
      if (!isAdmitted) {
        context.operation = 'overloaded';
        context.keyId = keyIdOf(client.name);
      }
      runLogged(isAdmitted ? answer : rejectOverload, response, context, arrivedAt);
    });
  };
}

/** Identifies clients by their address, for a server without API keys. Each address has its own share of everything. */
function clientBy(clientAddress: ClientAddress): ClientOf {
  return (request) => ({ kind: 'key', name: `address:${clientAddress(request)}` });
}

/**
 * The share of open requests for all clients without a key together. The share is small, because these clients are people who
 * open pages.
 */
const KEYLESS_SHARE = 1 / 10;

/**
 * The share of open requests for all clients with unverified keys together. Each address counts as one client, but one client may
 * have many addresses.
 */
const UNVERIFIED_SHARE = 1 / 2;

/** The client that sent a request, as determined from the request's head, without a database call. */
interface Client {
  /** `unverified` clients have a key that isn't known to be valid; `address` clients have none. */
  readonly kind: 'key' | 'unverified' | 'address';
  /** Unique for each key, or for each address and kind. */
  readonly name: string;
}

/** Returns the client whose share a request counts against. */
export type ClientOf = (request: IncomingMessage) => Client;

/**
 * Limits the open requests, including those that wait for their turn or for their bodies. Each client has a share
 * (`createOpenShares`). There is a smaller limit for all clients with unverified keys together, and another one for all clients
 * without a key.
 *
 * @param maximum the number of open requests, each of which may have a body of 100 kB in memory
 * @returns a function that counts a request as open until its response has closed; it returns false for a request that exceeds
 *   the limit
 */
function createConcurrencyLimit(
  maximum: number,
): (client: Client, response: ServerResponse) => boolean {
  recorder.observe('http_server_active_requests_max', () => maximum);
  let active = 0;
  recorder.observe('http_server_active_requests', () => active);
  const all = createOpenShares(maximum);
  const partOf = (share: number) => createOpenShares(Math.max(1, Math.floor(maximum * share)));
  const parts = {
    key: undefined,
    unverified: partOf(UNVERIFIED_SHARE),
    address: partOf(KEYLESS_SHARE),
  };

  return ({ kind, name }, response) => {
    const part = parts[kind];
    const isExcess = connectionOf(response.req.socket)?.isExcess === true;
    const isAdmitted = !isExcess && all.hasRoom(name) && part?.hasRoom(name) !== false;
    active += 1;
    if (isAdmitted) {
      all.opened(name);
      part?.opened(name);
    }
    response.prependListener('close', () => {
      active -= 1;
      if (isAdmitted) {
        all.closed(name);
        part?.closed(name);
      }
    });
    return isAdmitted;
  };
}

/** Returns the name of the client that probes from an address. */
function probeClient(address: string): string {
  return `probe:${address}`;
}

/**
 * Returns the class in which a client shares time. Each key has its own share. Addresses are cheap to get, so all clients without
 * a key share one class, as they share open requests. Clients with unverified keys have their own class, because new clients are
 * among them. Probes have their own class, too, because an orchestrator that gets no answer would restart the service.
 */
function classOf(client: string): string | undefined {
  return holdsKey(client) ? undefined : client.slice(0, client.indexOf(':'));
}

/** Creates the queue in which the process's requests wait for their turn, with metrics. */
export function createRequestQueue(): FairQueue {
  const queue = createFairQueue({
    classOf,
    onWaited: (client, milliseconds) => {
      recorder.add('request_wait_seconds_total', milliseconds / 1000, labelsOf(client));
    },
  });
  recorder.observe('waiting_requests', () => [
    [0, { key_id: 'none' }],
    ...Array.from(queue.waiting(), ([client, count]) => [count, labelsOf(client)] as const),
  ]);
  return queue;
}

function labelsOf(client: string) {
  return { key_id: keyIdOf(client) ?? 'none' };
}

/** Shorter waits are not logged. */
const MIN_WAIT_MS = 1;

/** Slower requests are always logged. */
const SLOW_MS = 1000;

/**
 * Runs a listener in its request's context, which identifies the request in all log lines, and logs one line when the request
 * ends. Of the requests that neither fail nor are slow, it logs only the share `sample`, from 0 to 1. `arrivedAt` is the
 * performance.now() at which the request's head had arrived.
 */
function createRequestLog(surfaceOf: SurfaceOf, sample: number) {
  return (
    listener: RequestListener,
    response: ServerResponse,
    context: RequestContext,
    arrivedAt: number,
  ): void => {
    const { req: request } = response;
    // Read before Express runs, because its routers shorten the URL.
    const path = pathOf(request.url ?? '');
    const record = (): void => {
      const durationMs = performance.now() - arrivedAt;
      const { id, traceId, waitedMs = 0, operation = 'other', authentication } = context;
      const status = response.headersSent ? response.statusCode : undefined;
      const labels = {
        surface: surfaceOf(path),
        operation,
        http_response_status_code: status ?? 'none',
      };
      recorder.record(
        'http_server_request_duration_seconds',
        durationMs / 1000,
        context.errorType === undefined ? labels : { ...labels, error_type: context.errorType },
      );
      if (authentication !== undefined) {
        recorder.add('authentications_total', 1, { outcome: authentication });
      }
      if (status === 403 || context.forbidden === true) {
        recorder.add('forbidden_requests_total', 1, { key_id: context.keyId ?? 'none' });
      }
      const aborted = response.writableFinished ? undefined : true;
      const isFailed =
        (status ?? 500) >= 500 || context.errorType !== undefined || aborted === true;
      if (!isFailed && durationMs < SLOW_MS && sample < 1 && Math.random() >= sample) {
        return;
      }
      logRequest({
        requestId: id,
        traceId,
        method: request.method,
        path,
        status,
        durationMs: rounded(durationMs),
        waitedMs: waitedMs < MIN_WAIT_MS ? undefined : rounded(waitedMs),
        keyId: context.keyId,
        deprecated: context.deprecated,
        errorLoggedUnder: context.errorLoggedUnder,
        aborted,
      });
    };
    if (request.socket.destroyed || response.headersSent) {
      // While the request waited, its client disconnected, or a parse error in its body was answered.
      record();
    } else {
      response.prependListener('close', record);
      requestContext.run(context, listener, request, response);
    }
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
