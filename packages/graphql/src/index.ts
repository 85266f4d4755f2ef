export {
  type Deprecation,
  deprecationReason,
  deprecationSentences,
  firstRemoved,
  type GivenArgument,
  isDay,
  named,
  type NamedDeprecation,
  removalMessage,
  removalTime,
  replacementCalls,
} from './extensions/deprecation.ts';
export {
  type Idempotency,
  type MutationResult,
  type References,
  type ResourceNames,
  type Stability,
  type ValueFacts,
  withArticle,
} from './extensions/extensions.ts';
export {
  argumentFaults,
  expectationOf,
  type Input,
  inputError,
  type InputFault,
  inputFaults,
  type InputPath,
  inWords,
  NOT_NULL,
} from './extensions/input-faults.ts';
export {
  decimal,
  type InputRule,
  int64,
  integerBetween,
  text,
  uuid,
} from './extensions/input-rules.ts';
export {
  excluding,
  isExclusion,
  isExpected,
  isPreconditionFailed,
  PRECONDITION_FAILED,
  PRECONDITION_REQUIRED,
  preconditionFailed,
  preconditionRequired,
  unexpectedVersion,
} from './extensions/precondition.ts';
export {
  deprecationOfType,
  deprecationsIn,
  expectOptionalUses,
} from './extensions/schema-deprecations.ts';
export { expectKnownScopes, scopedMembersOf } from './extensions/schema-scopes.ts';
export { checkScopes } from './extensions/scope-checks.ts';
export { expectScopes, lackingScopes, scopesOfField, scopesOfType } from './extensions/scopes.ts';
export { inputsByVariable, type PlacedInput } from './extensions/variable-inputs.ts';
export {
  STILL_REFERRED,
  takenMessage,
  type Violation,
  violationError,
} from './extensions/violation-error.ts';
