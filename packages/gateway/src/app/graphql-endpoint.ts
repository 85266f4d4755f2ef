import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Caller } from '@store-gateway/access';
import type { Config } from '../config/config.ts';
import type { GatewayDatabase } from '../database/client.ts';
import { findDocument } from '../graphql/trusted-documents.ts';
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
  runExchange,
  varyBy,
} from '@store-gateway/http';
import { pathOf, queryOf } from '@store-gateway/ops';
import { publicError } from '@store-gateway/ops/errors';
import {
  type ExecuteInTime,
  httpResponse,
  NoIntrospectionRule,
  PARTIAL_SUCCESS,
  type SelectedDeprecation,
  type WithDeadline,
} from '@store-gateway/graphql/execution';
import { createPlanner, type Plan, type SentOperation } from '@store-gateway/graphql/yoga';
import { DOCUMENTATION, GRAPHQL_PATH } from './pages/frame.ts';

/** The media types of responses; the first is the default. https://http-spec.graphql.org/September2026/#sec-Media-Types */
const MEDIA_TYPES = [JSON_TYPE, 'application/graphql-response+json; charset=utf-8'];

type GraphQLOptions = Pick<Config, 'graphqlIntrospection' | 'publicUrl' | 'trustedDocumentsOnly'>;

interface GraphQLDependencies {
  readonly schema: GraphQLSchema;
  readonly execute: ExecuteInTime<Caller>;
  readonly withDeadline: WithDeadline;
  readonly admit: Admit<Caller>;
}

/** Creates the endpoints for GraphQL over HTTP. Express serves the page that browsers request at the same path. */
export function createGraphQLEndpoints(
  database: Pick<GatewayDatabase, '$read'>,
  { schema, execute, withDeadline, admit }: GraphQLDependencies,
  { graphqlIntrospection, publicUrl, trustedDocumentsOnly }: GraphQLOptions,
): Endpoint[] {
  const planOf = createPlanner({
    schema,
    validationRules: graphqlIntrospection ? [] : [NoIntrospectionRule],
    findDocument: (hash) => findDocument(database, hash),
  });
  /** Cached deprecation announcements, for requests to the path without a trailing slash. */
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
  ): Exchange<Caller, SentOperation, Plan, ExecutionResult> {
    const { method, url: target = '' } = request;
    let mediaType = JSON_TYPE;
    let deprecation: SelectedDeprecation | undefined;
    let documentWait = 0;
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
      plan: async (sent, { caller, waited }) => {
        const plan = await planOf(sent, {
          trustedOnly: trustedDocumentsOnly || caller.documentsOnly,
          inTime: async (found) => {
            const began = performance.now();
            const params = await withDeadline(waited, found);
            documentWait = performance.now() - began;
            return params;
          },
        });
        ({ deprecation } = plan);
        return plan;
      },
      execute: (plan, execution) =>
        'errors' in plan
          ? plan
          : execute(plan.operation, {
              ...execution,
              waited: execution.waited + documentWait,
            }).catch((error: unknown) => ({ errors: [publicError(error)] })),
      represent: (result, { isReplay }) => {
        const { status, headers, body } = httpResponse(result, mediaType, graphqlIntrospection);
        if (deprecation !== undefined) {
          // The request's own path, which may end with a slash.
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
    runExchange(exchangeOf(request, response), admit);

  const path = `${GRAPHQL_PATH}{/}`;
  return [
    { method: 'POST', path, answer, writeError },
    {
      method: 'GET',
      path,
      accepts: (request) => !prefersPage(request, MEDIA_TYPES),
      answer: (request, response) => {
        // Set first, so that even errors have the header: responses depend on Accept, because browsers get a page at this path.
        varyBy(response, 'Accept');
        return answer(request, response);
      },
      writeError,
    },
    otherMethods(path, ['GET', 'HEAD', 'POST'], writeError),
  ];
}

/** Writes an error in GraphQL's format if it occurs before Yoga is called. */
const writeError = errorWriter({
  type: (request) => preferredType(request, MEDIA_TYPES) ?? JSON_TYPE,
  body: graphqlErrorBody,
});
