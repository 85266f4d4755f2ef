import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type RequestHandler, type Router } from 'express';
import type { ServeGraphQL } from '../graphql/server.ts';
import {
  acceptedType,
  forBrowsers,
  preferredType,
  answerOtherMethod,
  announceDeprecation,
  announcement,
  type Announcement,
  errorWriter,
  graphqlErrorBody,
  announceReplay,
  idempotencyKeyOf,
  readJson,
  referenceTo,
  JSON_TYPE,
  send,
  handlerOf,
  type DirectRoute,
  expectUtf8Query,
  varyBy,
  redirectTrailingSlash,
} from '@store-gateway/http';
import type { Admit } from '../auth/admission.ts';
import { pathOf, queryOf } from '@store-gateway/ops';
import { type SelectedDeprecation, PARTIAL_SUCCESS } from '@store-gateway/graphql/execution';
import { DOCUMENTATION, GRAPHQL_PATH } from './pages/frame.ts';

/**
 * Of responses; the first is the default.
 * https://http-spec.graphql.org/September2026/#sec-Media-Types
 */
const MEDIA_TYPES = [JSON_TYPE, 'application/graphql-response+json; charset=utf-8'];
const METHODS = ['GET', 'HEAD', 'POST'];

interface GraphQLDependencies {
  readonly serveGraphQL: ServeGraphQL;
  /** For browsers. */
  readonly playground: readonly RequestHandler[];
  readonly admit: Admit;
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl: string | undefined;
}

/** GraphQL over HTTP at the router's root, and GraphiQL there for browsers; and the direct route of a POST. */
export function createGraphQLEndpoint({
  serveGraphQL,
  playground,
  admit,
  publicUrl,
}: GraphQLDependencies): { readonly router: Router; readonly directRoute: DirectRoute } {
  /** Announcements of responses at the path itself. */
  const announcements = new WeakMap<SelectedDeprecation, Announcement>();

  function announcementIn(selected: SelectedDeprecation, from: string): Announcement {
    const known = from === GRAPHQL_PATH ? announcements.get(selected) : undefined;
    if (known !== undefined) {
      return known;
    }
    const base = { from, publicUrl };
    const made = announcement(selected.deprecation, {
      successor:
        selected.successor &&
        referenceTo(`${GRAPHQL_PATH}?query=${encodeURIComponent(selected.successor)}`, base),
      documentation: referenceTo(DOCUMENTATION, base),
    });
    if (from === GRAPHQL_PATH) {
      announcements.set(selected, made);
    }
    return made;
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    target: string,
  ): Promise<void> {
    const { caller, waited, turn } = await admit({ request, response });
    const mediaType = acceptedType(request, MEDIA_TYPES);
    varyBy(response, 'Accept');
    const isPost = request.method === 'POST';
    expectUtf8Query(target);
    const idempotencyKey = isPost ? idempotencyKeyOf(request) : undefined;
    const sent = isPost
      ? { body: await readJson(request, response, turn) }
      : { search: queryOf(target) };
    const answered = await serveGraphQL({ caller, waited, idempotencyKey, sent, mediaType });
    if (answered.deprecation !== undefined) {
      // It may have a slash at its end.
      announceDeprecation(response, announcementIn(answered.deprecation, pathOf(target)));
    }
    if (answered.isReplay) {
      announceReplay(response);
    }
    response.statusCode = answered.status;
    for (const [name, value] of Object.entries(answered.headers)) {
      response.setHeader(name, value);
    }
    if (answered.status === PARTIAL_SUCCESS.status) {
      response.statusMessage = PARTIAL_SUCCESS.reason;
    }
    send(response, mediaType, answered.body);
  }

  const directRoute: DirectRoute = {
    method: 'POST',
    path: GRAPHQL_PATH,
    answer: (request, response) => answer(request, response, targetOf(request)),
    writeError: writeGraphQLError,
  };
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', forBrowsers(MEDIA_TYPES), redirectTrailingSlash, ...playground);
  router.post('/', handlerOf(directRoute));
  router.all('/', async (request, response) => {
    if (!METHODS.includes(request.method)) {
      answerOtherMethod(request, response, METHODS);
      return;
    }
    await answer(request, response, targetOf(request));
  });
  router.use(writeGraphQLError);
  return { router, directRoute };
}

type RoutedRequest = Pick<IncomingMessage, 'url'> & { readonly originalUrl?: string };

/** The target that was sent: Express shortens `url` on its way. */
function targetOf({ url = '', originalUrl = url }: RoutedRequest): string {
  return originalUrl;
}

/** Writes errors that were thrown before Yoga was called in GraphQL's shape. */
const writeGraphQLError = errorWriter({
  type: (request) => preferredType(request, MEDIA_TYPES) ?? JSON_TYPE,
  body: graphqlErrorBody,
});
