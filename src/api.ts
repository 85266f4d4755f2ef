// The API that the gateway serves. It is loaded only when it is needed.
export { rest } from './rest/contract.ts';
export { schema } from './schema/index.ts';
