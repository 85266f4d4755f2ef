import type { StoreApi } from '@gateway/gateway/store';
import { routes } from './routes.ts';

const DESCRIPTION = `A store's animals: list them, add one, get one.

Every operation needs an API key. Ids are integers of 64 bits: a client whose numbers are doubles, as JavaScript's are, rounds those beyond 2^53 unless its JSON parser keeps them. Where GET is taken, HEAD is too; OPTIONS is 204, with the methods in \`Allow\`. Query parameters and members that are not described here are ignored.

Before a request is looked at it may be refused for what it takes to receive it: 408 and \`REQUEST_TIMEOUT\`, 414 and \`URI_TOO_LONG\`, or 431 and \`HEADERS_TOO_LARGE\`.`;

/** The REST API: a client of the schema in the same process. */
export const rest: StoreApi['rest'] = {
  routes,
  basePath: '/v1',
  info: {
    title: 'Animal Store Gateway',
    version: '1.0.0',
    description: DESCRIPTION,
    contact: { name: 'The founders of Animal Store Gateway' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
};
