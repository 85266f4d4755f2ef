export type { LandingPage, StorePages } from './app/pages/store-pages.ts';
export type { Access } from './auth/access.ts';
export {
  type Action,
  EXIT_CODES,
  onDatabase,
  VARIABLE_NAMES,
  WHICH_STORE,
} from './commands/on-database.ts';
export type { ViolationErrors } from './context.ts';
export { createGateway, type Gateway } from './gateway.ts';
export { runGateway } from './run-gateway.ts';
export { startGateway } from './start-gateway.ts';
export type { StoreApi } from './store.ts';
