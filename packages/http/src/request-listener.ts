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
import { createReject, shapeBy, type SurfaceOf, limitHeads, isUnderstood } from './request-head.ts';
import { contextOf } from './request-context.ts';
import { createRequestLog } from './request-log.ts';
import { createRequestQueue, probeClient } from './request-queue.ts';
import { type Layer, nested, takeSteps, type Step } from './steps.ts';

const OVERLOADED = codedError(
  'OVERLOADED',
  'too many concurrent requests of this client, or too many connections',
);

/** How requests are answered, to which clients they count, which steps they pass, and their limits. */
export interface RequestListenerOptions {
  /** The server's endpoints; by default only probes and `OPTIONS *` are answered. */
  readonly endpoints?: readonly Endpoint[];
  /** Answers all other requests; by default they get NOT_FOUND. Its middleware sees no request to an endpoint. */
  readonly app?: Express | undefined;
  /** Writes the errors for other methods at the probes' paths; by default in the format of the API at the path. */
  readonly writeError?: WriteError;
  /** The client that sent a request; by default its address, which gets the same share of open requests as any client. */
  readonly clientOf?: ClientOf;
  /** The address that a request comes from; by default the socket's, without trusted proxies. */
  readonly clientAddress?: ClientAddress;
  /** The queue in which requests wait for their turn; by default a new one. */
  readonly queue?: FairQueue;
  /** Answers /livez and /readyz; by default, the server is always ready. */
  readonly health?: Health;
  /** Maximum number of open requests; by default 1000. */
  readonly maximumOpenRequests?: number;
  /** Origins whose pages may read responses, or '*'; by default none. */
  readonly corsOrigins?: readonly string[];
  /** Request headers that these pages may send besides those of the server and of common clients; by default none. */
  readonly corsHeaders?: readonly string[];
  /** The API at a path, in whose format errors are sent; by default REST. */
  readonly surfaceOf?: SurfaceOf;
  /** The name of a request's route, for traces; by default its endpoint's path. */
  readonly routeOf?: RouteOf;
  /** The share of requests to log among those that neither fail nor are slow; by default all. */
  readonly logSample?: number;
  /**
   * Run in this order for each request except probes, before its endpoint is found, and before it is rejected because of its head
   * or an overload. Input that Node can't parse is no request.
   */
  readonly steps?: readonly Step[];
}

/**
 * Queues each request for its client's turn, even one that will be rejected, because that takes time, too. Requests are logged,
 * traced and limited before they are answered.
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
        // Another proxy may have guessed a different end of the body, or there are too many connections.
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
  const answer = passing((next) => limitHeads(next, reject));
  const rejectOverload = passing(() => (request, response) => {
    reject(request, response, OVERLOADED);
  });
  const admit = createConcurrencyLimit(maximumOpenRequests);
  const runLogged = createRequestLog(surfaceOf, logSample);

  return (request, response) => {
    const arrivedAt = performance.now();
    if (isProbe(request) && isUnderstood(request)) {
      // Probes are answered before anything else: they are neither counted nor limited, and aren't in the request log.
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

/** If there are no keys, each address has its own share of everything. */
function clientBy(clientAddress: ClientAddress): ClientOf {
  return (request) => ({ kind: 'key', name: `address:${clientAddress(request)}` });
}
