export { printJson } from './endpoints.ts';
export { tagNameOf } from './operation.ts';
