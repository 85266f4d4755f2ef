import { createRest } from '@gateway/pothos-rest/rest';
import { LIMIT_MESSAGES } from '@gateway/rate-limits/rejection';
import { expiredMessage, REFUSALS } from '../auth/authenticate.ts';
import { schema } from '../schema/index.ts';
import { routes } from './routes.ts';

const DESCRIPTION = `A store's animals: list them, add one, get one.

Every operation needs an API key. Ids are integers of 64 bits: a client whose numbers are doubles, as JavaScript's are, rounds those beyond 2^53 unless its JSON parser keeps them. Where GET is taken, HEAD is too; OPTIONS is 204, with the methods in \`Allow\`. Query parameters and members that are not described here are ignored.

Before a request is looked at it may be refused for what it takes to receive it: 408 and \`REQUEST_TIMEOUT\`, 414 and \`URI_TOO_LONG\`, or 431 and \`HEADERS_TOO_LARGE\`.`;

/** The REST API: a client of the schema in the same process. */
export const rest = createRest({
  schema,
  routes,
  basePath: '/v1',
  info: {
    title: 'Animal Store Gateway',
    version: '1.0.0',
    description: DESCRIPTION,
    contact: { name: 'The founders of Animal Store Gateway' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  messages: {
    UNAUTHENTICATED: { ...REFUSALS, expiredKey: expiredMessage(new Date('2026-01-31T12:00Z')) },
    TOO_MANY_REQUESTS: LIMIT_MESSAGES,
  },
});
