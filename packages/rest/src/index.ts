export type { ResponseStore } from './serve.ts';
export { notFound } from './errors.ts';
export {
  createRest,
  inOpenApi,
  PAGE_INFO,
  type PreparedRoute,
  type Rest,
  type RestOptions,
  type Route,
} from './rest.ts';
export { createEndpoints, writeError } from './endpoints.ts';
