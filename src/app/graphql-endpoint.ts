import express, { type Router } from 'express';
import type { ServeGraphQL } from '../graphql/server.ts';
import { acceptedType, forBrowsers } from '@gateway/http-server/http/accept';
import { answerOtherMethod } from '@gateway/http-server/http/allowed-methods';
import { callerOf, type Admission } from '../auth/request-caller.ts';
import { announceDeprecation, announcement } from '@gateway/http-server/http/deprecation-headers';
import { graphqlErrorBody } from '@gateway/http-server/http/error-body';
import { errorWriter } from '@gateway/http-server/http/error-writer';
import { announceReplay, idempotencyKeyOf } from '@gateway/http-server/http/idempotency-key';
import { readJson } from '@gateway/http-server/http/json-body';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import { referenceTo } from '@gateway/http-server/http/reference';
import { send } from '@gateway/http-server/http/send';
import { redirectTrailingSlash } from '@gateway/http-server/http/trailing-slash';
import { pathOf, queryOf } from '@gateway/telemetry/request-path';
import { PARTIAL_SUCCESS } from '@gateway/yoga-guards/http-status';
import { sendPlayground } from './pages/playground.ts';

/**
 * Of responses; the first is the default.
 * https://http-spec.graphql.org/September2026/#sec-Media-Types
 */
const MEDIA_TYPES = [JSON_TYPE, 'application/graphql-response+json; charset=utf-8'];
const METHODS = ['GET', 'HEAD', 'POST'];

interface GraphQLDependencies {
  readonly serveGraphQL: ServeGraphQL;
  readonly admission: Admission;
  /** The path of the documentation for people. */
  readonly documentation: string;
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl: string | undefined;
}

/** GraphQL over HTTP at the router's root, and GraphiQL there for browsers. */
export function createGraphQLEndpoint({
  serveGraphQL,
  admission,
  documentation,
  publicUrl,
}: GraphQLDependencies): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', forBrowsers(MEDIA_TYPES), redirectTrailingSlash, ...sendPlayground);
  router.all('/', async (request, response) => {
    if (!METHODS.includes(request.method)) {
      answerOtherMethod(request, response, METHODS);
      return;
    }
    const { caller, waited, turn } = await callerOf({ request, response }, admission);
    const mediaType = acceptedType(request, MEDIA_TYPES);
    response.vary('Accept');
    const idempotencyKey = request.method === 'POST' ? idempotencyKeyOf(request) : undefined;
    const sent =
      request.method === 'POST'
        ? { body: await readJson(request, response, turn) }
        : // The app's parser is for REST's parameters.
          { search: queryOf(request.originalUrl) };
    const answer = await serveGraphQL({ caller, waited, idempotencyKey, sent, mediaType });
    if (answer.deprecation !== undefined) {
      const { deprecation, successor } = answer.deprecation;
      // It may have a slash at its end.
      const base = { from: pathOf(request.originalUrl), publicUrl };
      const links = {
        successor: referenceTo(`${request.baseUrl}?query=${encodeURIComponent(successor)}`, base),
        documentation: referenceTo(documentation, base),
      };
      announceDeprecation(response, announcement(deprecation, links));
    }
    if (answer.isReplay) {
      announceReplay(response);
    }
    response.status(answer.status).set(answer.headers);
    if (answer.status === PARTIAL_SUCCESS.status) {
      response.statusMessage = PARTIAL_SUCCESS.reason;
    }
    send(response, mediaType, answer.body);
  });
  router.use(writeGraphQLError);
  return router;
}

/** Writes errors that were thrown before Yoga was called in GraphQL's shape. */
const writeGraphQLError = errorWriter({
  type: (request) => request.accepts(MEDIA_TYPES) || JSON_TYPE,
  body: graphqlErrorBody,
});
