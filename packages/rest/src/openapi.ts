export { printJson } from './openapi/printed.ts';
export { tagNameOf } from './openapi/tag.ts';
