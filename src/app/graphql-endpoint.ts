import express, { type Request, type Response, type Router } from 'express';
import type { Authenticate } from '../auth/authenticate.ts';
import { codedError } from '../errors.ts';
import type { GraphQLServer } from '../graphql/server.ts';
import { acceptedType } from '../http/accept.ts';
import { callerOf } from '../http/caller.ts';
import { errorWriter } from '../http/error-writer.ts';
import { readJsonObject } from '../http/json-body.ts';
import { sendPlayground } from './playground-page.ts';

/**
 * What GraphQL answers with; the first is for whoever doesn't mind.
 * https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types
 */
const JSON_TYPE = 'application/json; charset=utf-8';
const MEDIA_TYPES = [JSON_TYPE, 'application/graphql-response+json; charset=utf-8'];
const METHODS = ['GET', 'HEAD', 'POST'];

/** GraphQL over HTTP at the router's root, and GraphiQL there for whoever comes with a browser. */
export function createGraphQLEndpoint(graphql: GraphQLServer, authenticate: Authenticate): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/', async (request, response, next) => {
    // Only a browser names text/html when it opens a page; a client that takes anything wants data.
    if (request.get('Accept')?.includes('text/html') === true) {
      await sendPlayground(request, response);
    } else {
      next();
    }
  });
  router.all('/', async (request, response) => {
    if (!METHODS.includes(request.method)) {
      response.set('Allow', METHODS.join(', '));
      throw codedError('METHOD_NOT_ALLOWED', `This address takes ${METHODS.join(', ')}`);
    }
    const caller = await callerOf({ request, response }, authenticate);
    const mediaType = acceptedType(request, MEDIA_TYPES);
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const body = method === 'POST' ? await readJsonObject(request, response) : {};
    await send(
      response,
      await graphql.serve({ method, search: search(request), mediaType }, { caller, body }),
    );
  });
  router.use(writeGraphQLError);
  return router;
}

/** The query string as it was sent: the app's own parser is for REST's parameters. */
function search({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start === -1 ? '' : originalUrl.slice(start);
}

async function send(response: Response, answer: globalThis.Response): Promise<void> {
  response.status(answer.status);
  answer.headers.forEach((value, name) => {
    response.set(name, value);
  });
  response.send(await answer.text());
}

/** Writes what was thrown before GraphQL was reached in GraphQL's own shape. */
const writeGraphQLError = errorWriter({
  type: (request) => request.accepts(MEDIA_TYPES) || JSON_TYPE,
  body: ({ message, extensions: { code, status } }) => ({
    errors: [{ message, extensions: { code, status } }],
  }),
});
