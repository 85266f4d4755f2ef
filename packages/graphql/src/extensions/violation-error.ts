import {
  getNamedType,
  isInputObjectType,
  isObjectType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
} from 'graphql';
import { codedError, type ErrorCode } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import { type Input, inputError, type InputPath } from './input-faults.ts';
import { nounIn } from './extensions.ts';

/** The reason why the database rejects a call. */
export interface Violation {
  readonly kind: 'missingRow' | 'unique' | 'reference' | 'referred' | 'check' | 'null' | 'range';
  /** The model fields that the violation concerns, as far as they are known. */
  readonly fields: readonly string[];
  /** For a reference: the models with the foreign key, as far as they are known. */
  readonly holders?: readonly string[];
  /** Whether a field's value is at fault, if that depends on the value. */
  readonly isAtFault?: (field: string, value: unknown) => boolean;
}

/** An error code, the fault to report for an input, and the message for a call that has no input for the violated column. */
const FAULTS: Readonly<
  Record<
    Exclude<Violation['kind'], 'missingRow' | 'referred'>,
    readonly [ErrorCode, string, string]
  >
> = {
  unique: ['CONFLICT', 'is already taken', 'A record with the same values already exists'],
  reference: [
    'BAD_USER_INPUT',
    'refers to something that does not exist',
    'Something that this refers to does not exist',
  ],
  check: ['BAD_USER_INPUT', 'has a value that is not allowed', 'A value is not allowed'],
  null: ['BAD_USER_INPUT', 'must not be null', 'A required value is missing'],
  range: ['BAD_USER_INPUT', 'is too large or too long', 'A value is too large or too long'],
};

/** The message of a CONFLICT about a row that can't be deleted. */
export const STILL_REFERENCED = 'Other records still refer to this one';

/** Returns the message of a CONFLICT about an input. */
export function uniqueMessage(name: string): string {
  return `${name} ${FAULTS.unique[1]}`;
}

/** Converts a violation to an error for the caller, which names inputs rather than columns. */
export function violationError(
  { kind, fields, holders, isAtFault }: Violation,
  args: object,
  {
    parentType,
    fieldName,
    returnType,
  }: Pick<GraphQLResolveInfo, 'fieldName' | 'parentType' | 'returnType'>,
): GraphQLError {
  const field = parentType.getFields()[fieldName];
  if (kind === 'missingRow') {
    const type = getNamedType(returnType);
    const { notFound } = field?.extensions ?? {};
    return codedError('NOT_FOUND', notFound ?? `There is no ${nounIn(type)} with this id`);
  }
  if (kind === 'referred') {
    // No input is at fault.
    return codedError('CONFLICT', STILL_REFERENCED);
  }
  const [code, fault, whole] = FAULTS[kind];
  const search: Search = {
    isViolating: ({ name }, value) =>
      fields.some(
        (each) =>
          plain(each) === plain(name) && (isAtFault === undefined || isAtFault(each, value)),
      ),
    tellsItems: isAtFault !== undefined,
  };
  const paths = (field?.args ?? []).flatMap((input) =>
    violatingInputs(input, Reflect.get(args, input.name), search, [input.name]),
  );
  const names = new Set(paths.map(({ name }) => name));
  if (kind === 'unique' && names.size > 1) {
    const message = `The combination of ${[...names].join(' and ')} is already taken`;
    const pair = inputError(
      paths.map(({ path }) => ({ path, message })),
      code,
    );
    pair.message = message;
    return pair;
  }
  if (paths.length > 0) {
    return inputError(
      paths.map(({ name, path }) => ({ path, message: `${name} ${fault}` })),
      code,
    );
  }
  return kind === 'reference' && isOfOthers(holders, getNamedType(returnType), field)
    ? codedError('CONFLICT', STILL_REFERENCED)
    : codedError(code, whole);
}

/**
 * Whether the violated reference points from other rows to the call's row. This is the case if no input can contain the
 * reference.
 */
function isOfOthers(
  holders: readonly string[] = [],
  type: GraphQLNamedType,
  field: GraphQLField<unknown, unknown> | undefined,
): boolean {
  const model = isObjectType(type) ? type.extensions.pothosPrismaModel : undefined;
  const hasData = field?.args.some((input) => isInputObjectType(getNamedType(input.type)));
  const isAnother = model !== undefined && !holders.includes(model);
  return holders.length > 0 && (hasData !== true || isAnother);
}

interface Search {
  readonly isViolating: (input: Input, value: unknown) => boolean;
  /** Whether the fault depends on the value. If it doesn't, it is unknown which of several items is at fault. */
  readonly tellsItems: boolean;
}

interface ViolatingInput {
  readonly name: string;
  readonly path: InputPath;
}

/**
 * Returns the violating inputs at or below an input. If the items of a list can't be distinguished, their inputs are reported at
 * the list's path.
 */
function violatingInputs(
  input: Input,
  value: unknown,
  search: Search,
  path: InputPath,
): ViolatingInput[] {
  const type = getNamedType(input.type);
  if (!isInputObjectType(type)) {
    return search.isViolating(input, value) ? [{ name: input.name, path }] : [];
  }
  if (Array.isArray(value)) {
    const found = value.flatMap((item: unknown, index) =>
      violatingInputs(input, item, search, [...path, index]),
    );
    return search.tellsItems || value.length === 1
      ? found
      : [...new Set(found.map(({ name }) => name))].map((name) => ({ name, path }));
  }
  return isJsonObject(value)
    ? Object.values(type.getFields()).flatMap((member) =>
        violatingInputs(member, value[member.name], search, [...path, member.name]),
      )
    : [];
}

/** Normalizes a name: `keeper_id` and `keeperId` become the same. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
