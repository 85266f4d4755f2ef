export {
  deprecationChecks,
  deprecationOfType,
  deprecationReason,
  deprecationSentences,
  deprecationsIn,
  firstRemoved,
  isDay,
  named,
  removalError,
  removalMessage,
  removalTime,
  replacementCalls,
} from './marks/deprecations.ts';
export {
  type Deprecation,
  type GivenArgument,
  type Idempotency,
  type MutationResult,
  type NamedDeprecation,
  type References,
  type ResourceNames,
  type Stability,
  type ValueFacts,
  withArticle,
} from './extensions/extensions.ts';
export {
  argumentFaults,
  decimal,
  expectationOf,
  type Input,
  inputError,
  type InputFault,
  inputFaults,
  type InputPath,
  type InputRule,
  inputsByVariable,
  int64,
  integerBetween,
  inWords,
  NOT_NULL,
  type PlacedInput,
  text,
  uuid,
} from './extensions/input-faults.ts';
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
  expectKnownScopes,
  expectScopes,
  missingScopesOf,
  scopeChecks,
  scopedMembersOf,
  scopesOfField,
  scopesOfType,
} from './marks/scopes.ts';
export {
  STILL_REFERENCED,
  uniqueMessage,
  type Violation,
  violationError,
} from './extensions/violation-error.ts';
export { type SelectedField, selectedFields } from './marks/uses.ts';
export { type FieldsType, type Marker, membersOf, ofMembers, walkSchema } from './marks/walk.ts';
