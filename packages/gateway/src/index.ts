export { type Action, EXIT_CODES, onDatabase, WHICH_STORE } from './commands/on-database.ts';
export { VARIABLE_NAMES } from './config/config.ts';
export type {
  Access,
  Gateway,
  LandingPage,
  MountedApp,
  StoreApi,
  StorePages,
  ViolationErrors,
} from './definition.ts';
export { createGateway, runGateway, startGateway } from './gateway.ts';
