export { complexityOf } from './bounds/complexity.ts';
export { NoIntrospectionRule } from './bounds/document.ts';
export { createDeadline, REQUEST_TIMEOUT_MS, type WithDeadline } from './execution/deadline.ts';
export {
  createExecute,
  type Execute,
  type ExecuteInTime,
  type Operation,
  type OperationRequest,
  type OperationStep,
  takeOperationSteps,
} from './execution/execute.ts';
export {
  type MutationListeners,
  type MutationOutcome,
  refusedMutations,
} from './execution/mutations.ts';
export {
  graphqlRowsPlan,
  type LeafForm,
  type PlanRows,
  rowsPlan,
} from './execution/written-rows.ts';
export { httpResponse, type HttpResponse, maskError, PARTIAL_SUCCESS } from './http-response.ts';
export { possibleUsesOf, type SelectedDeprecation, usesOf } from './marks/deprecations.ts';
export { scopesOfDocument, scopesOfRoot, withinScopes } from './marks/scopes.ts';
export { operationParameters, parametersOfBody, parametersOfQuery } from './request-parameters.ts';
export {
  checkDocument,
  readDocuments,
  type StoredDocument,
} from './trusted-documents/document-files.ts';
export { createDocumentReader, hashOfIdentifier } from './trusted-documents/document-reader.ts';
export type { OperationContext } from './yoga-server.ts';
