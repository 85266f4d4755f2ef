import type { StoreApi } from '@store-gateway/gateway';
import { routes } from './routes.ts';

const DESCRIPTION = `List and add the animals of a store; changing and removing them is in beta.

Every operation needs an API key. Ids are 64-bit integers: a client that reads numbers as doubles, as JavaScript does, rounds those beyond 2⁵³ unless its JSON parser keeps them exact. Every GET operation also accepts HEAD; OPTIONS responds 204 with the methods in \`Allow\`. Query parameters and members that are not described here are ignored, unless a request has \`Prefer: handling=strict\`.

Errors are \`application/json\`. A client whose \`Accept\` names \`application/problem+json\` gets them in the format of RFC 9457, with each invalid input listed separately in \`errors\`.

A request may be rejected while it is being received: with 408 \`REQUEST_TIMEOUT\`, 414 \`URI_TOO_LONG\` or 431 \`HEADERS_TOO_LARGE\`.`;

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
