export type { ResponseStore } from './first-response.ts';
export { notFound } from './path-faults.ts';
export {
  createRest,
  PAGE_INFO,
  type PreparedRoute,
  type Rest,
  type RestOptions,
  type Route,
} from './rest.ts';
export { inOpenApi } from './route-deprecations.ts';
export { createEndpoints, writeError } from './endpoints.ts';
