export {
  type Action,
  EXIT_CODES,
  onDatabase,
  VARIABLE_NAMES,
  WHICH_STORE,
} from './commands/on-database.ts';
export type {
  Access,
  Gateway,
  LandingPage,
  MountedApp,
  StoreApi,
  StorePages,
  ViolationErrors,
} from './definition.ts';
export { createGateway } from './gateway.ts';
export { runGateway, startGateway } from './run-gateway.ts';
