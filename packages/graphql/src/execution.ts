export { complexityOf } from './bounds/complexity.ts';
export type { SelectedDeprecation } from './deprecations/deprecations.ts';
export { deprecationsWithin, possibleUsesOf, usesOf } from './deprecations/uses.ts';
export { maskError } from './error-masking.ts';
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
export { graphqlRowsPlan, type LeafForm, type PlanRows, rowsPlan } from './execution/rows-plan.ts';
export { shareable } from './execution/shareable.ts';
export type { OperationContext } from './guard-execution.ts';
export { httpResponse, type HttpResponse } from './http-response.ts';
export { PARTIAL_SUCCESS } from './http-status.ts';
export { operationParameters, parametersOfBody, parametersOfQuery } from './request-parameters.ts';
export { scopesOfDocument, scopesOfRoot } from './scopes/operation-scopes.ts';
export { withinScopes } from './scopes/within-scopes.ts';
export { checkDocument } from './trusted-documents/check-document.ts';
export { readDocuments, type StoredDocument } from './trusted-documents/document-files.ts';
export { hashOfIdentifier } from './trusted-documents/document-id.ts';
export { createDocumentReader } from './trusted-documents/document-reader.ts';
export { NoIntrospectionRule } from './bounds/document.ts';
