import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@store-gateway/access';
import type { GraphQLResponse, SentOperation, ServeGraphQL } from '../graphql/server.ts';
import {
  acceptedType,
  type Admit,
  preferredType,
  prefersPage,
  announceDeprecation,
  announcement,
  type Announcement,
  errorWriter,
  graphqlErrorBody,
  announceReplay,
  readJson,
  referenceTo,
  JSON_TYPE,
  send,
  type Endpoint,
  type Exchange,
  otherMethods,
  takeExchange,
  varyBy,
} from '@store-gateway/http';
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
  readonly admit: Admit<Caller>;
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl: string | undefined;
}

/** GraphQL over HTTP. Express answers browsers' requests for the page. */
export function createGraphQLEndpoints({
  serveGraphQL,
  admit,
  publicUrl,
}: GraphQLDependencies): Endpoint[] {
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

  function exchangeOf(
    request: IncomingMessage,
    response: ServerResponse,
  ): Exchange<Caller, SentOperation, SentOperation, GraphQLResponse> {
    const { method, url: target = '' } = request;
    let mediaType = JSON_TYPE;
    return {
      request,
      response,
      accept: () => {
        mediaType = acceptedType(request, MEDIA_TYPES);
        varyBy(response, 'Accept');
      },
      acceptsKey: true,
      read: async (turn) =>
        method === 'POST'
          ? { body: await readJson(request, response, turn) }
          : { search: queryOf(target) },
      plan: (sent) => sent,
      execute: (sent, execution) => serveGraphQL({ ...execution, sent, mediaType }),
      represent: ({ status, headers, body, deprecation }, { isReplay }) => {
        if (deprecation !== undefined) {
          // It may have a slash at its end.
          announceDeprecation(response, announcementIn(deprecation, pathOf(target)));
        }
        if (isReplay) {
          announceReplay(response);
        }
        response.statusCode = status;
        for (const [name, value] of Object.entries(headers)) {
          response.setHeader(name, value);
        }
        if (status === PARTIAL_SUCCESS.status) {
          response.statusMessage = PARTIAL_SUCCESS.reason;
        }
        send(response, mediaType, body);
      },
    };
  }

  const answer = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    takeExchange(exchangeOf(request, response), admit);

  const path = `${GRAPHQL_PATH}{/}`;
  return [
    { method: 'POST', path, answer, writeError },
    {
      method: 'GET',
      path,
      accepts: (request) => !prefersPage(request, MEDIA_TYPES),
      answer: (request, response) => {
        // First, so that errors have it too: a browser gets a page.
        varyBy(response, 'Accept');
        return answer(request, response);
      },
      writeError,
    },
    otherMethods(path, METHODS, writeError),
  ];
}

/** Writes errors that were thrown before Yoga was called in GraphQL's shape. */
const writeError = errorWriter({
  type: (request) => preferredType(request, MEDIA_TYPES) ?? JSON_TYPE,
  body: graphqlErrorBody,
});
