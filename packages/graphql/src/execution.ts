export { complexityOf } from './bounds/complexity.ts';
export { NoIntrospectionRule } from './bounds/document.ts';
export {
  createDeadline,
  createExecute,
  type Execute,
  type ExecuteInTime,
  type Operation,
  type OperationRequest,
  type OperationStep,
  REQUEST_TIMEOUT_MS,
  runOperationSteps,
  type WithDeadline,
} from './execution/execute.ts';
export {
  type MutationListeners,
  type MutationOutcome,
  rejectedMutations,
} from './execution/mutations.ts';
export { type LeafForm, type PlanRows, rowsPlan } from './execution/written-rows.ts';
export { httpResponse, PARTIAL_SUCCESS } from './http-response.ts';
export { possibleUsesOf, type SelectedDeprecation, usesOf } from './marks/deprecations.ts';
export { scopesOfDocument, scopesOfRoot, withinScopes } from './marks/scopes.ts';
export {
  checkDocument,
  hashOfIdentifier,
  readDocuments,
  type StoredDocument,
} from './trusted-documents.ts';
