// The API that the gateway serves, loaded when it is needed.
export { rest } from './rest.ts';
export { schema } from './schema/index.ts';
