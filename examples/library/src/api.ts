export { rest } from './rest.ts';
export { schema } from './schema/index.ts';
