import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import { codedError } from '@store-gateway/ops/errors';
import { keyIdOf } from './fair/client-of-key.ts';
import type { FairQueue } from './fair/fair-queue.ts';
import { requestContext, pathOf, tracer, type RouteOf } from '@store-gateway/ops';
import { createConcurrencyLimit, type ClientOf } from './concurrency-limit.ts';
import { connectionOf } from './connection.ts';
import { allowOrigins } from './cors.ts';
import {
  type Endpoint,
  endpointPathOf,
  routeTo,
  serverMethods,
  serverOptions,
} from './endpoints.ts';
import { createHealth, isProbe, otherProbes, type Health } from './health.ts';
import { createClientAddress, type ClientAddress } from './message/client-address.ts';
import { errorWriter, type WriteError } from './message/error-writer.ts';
import { createReject, shapeBy, type SurfaceOf, boundHeads, isUnderstood } from './request-head.ts';
import { contextOf } from './request-context.ts';
import { createRequestLog } from './request-log.ts';
import { createRequestQueue, probeClient } from './request-queue.ts';
import { type Layer, nested, takeSteps, type Step } from './steps.ts';

const OVERLOADED = codedError(
  'OVERLOADED',
  'too many concurrent requests of this client, or too many connections',
);

/** What answers requests, whom they count to, what they pass, and what bounds them. */
export interface RequestListenerOptions {
  /** What the server answers itself; by default nothing but probes and `OPTIONS *`. */
  readonly endpoints?: readonly Endpoint[];
  /** Answers all other requests; by default they are NOT_FOUND. A middleware of it sees no request of an endpoint. */
  readonly app?: Express | undefined;
  /** Writes the errors of probes that aren't GET or HEAD; by default in the shape of their surface. */
  readonly writeError?: WriteError;
  /** Who a request is from; by default its address, which may have as many requests open as any client. */
  readonly clientOf?: ClientOf;
  /** Where a request comes from; by default the socket's address: no proxy is trusted. */
  readonly clientAddress?: ClientAddress;
  /** Where requests wait for their turn; by default one of its own. */
  readonly queue?: FairQueue;
  /** What /livez and /readyz say; by default that it is ready. */
  readonly health?: Health;
  /** By default 1000. */
  readonly maximumOpenRequests?: number;
  /** Origins whose pages may read responses, or '*'; by default none. */
  readonly corsOrigins?: readonly string[];
  /** Request headers that these pages may send besides those of the server and of common clients; by default none. */
  readonly corsHeaders?: readonly string[];
  /** In whose shape a path's errors are; by default REST's. */
  readonly surfaceOf?: SurfaceOf;
  /** Names the route of a request, for traces; by default that of its endpoint. */
  readonly routeOf?: RouteOf;
  /** The share of requests that are logged though they neither fail nor are slow; by default all. */
  readonly logSample?: number;
  /**
   * Run in this order for each request except probes, before its endpoint is found, and before it is rejected because of its head
   * or an overload. Input that Node can't parse is no request.
   */
  readonly steps?: readonly Step[];
}

/**
 * Has requests wait for the turn of their client, whatever becomes of them (to reject one costs time, too), and logs,
 * traces and bounds them before they are answered.
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
        // Where the body ends may be another proxy's guess, or the connection is one too many.
        response.setHeader('Connection', 'close');
      }
      response.setHeader('X-Request-Id', requestContext.getStore()?.id ?? '');
      // Browsers must not run anything as a script that was not sent as one.
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
        steps: (next) => takeSteps(steps, next, errorWriter(shapeBy(surfaceOf))),
        check: (next) => answerPreflights(check(next)),
      },
      routed,
    );
  const answer = passing((next) => boundHeads(next, reject));
  const rejectOverload = passing(() => (request, response) => {
    reject(request, response, OVERLOADED);
  });
  const admit = createConcurrencyLimit(maximumOpenRequests);
  const runLogged = createRequestLog(surfaceOf, logSample);

  return (request, response) => {
    const arrivedAt = performance.now();
    if (isProbe(request) && isUnderstood(request)) {
      // Answered before anything else looks at it: neither counted, nor bounded, nor in the log.
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

/** Where nobody has a key, each address has its share of everything. */
function clientBy(clientAddress: ClientAddress): ClientOf {
  return (request) => ({ kind: 'key', name: `address:${clientAddress(request)}` });
}
