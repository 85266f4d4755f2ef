import {
  getNamedType,
  isInputObjectType,
  type GraphQLError,
  type GraphQLResolveInfo,
} from 'graphql';
import { codedError, type ErrorCode } from '@gateway/errors/coded-error';
import { isJsonObject } from '@gateway/exact-json/json';
import { inputError, type Input, type InputPath } from './input-faults.ts';
import { nounIn } from './resource.ts';

/** What the database has against a call. */
export interface Violation {
  readonly kind: 'missingRow' | 'unique' | 'reference' | 'referred' | 'check' | 'null' | 'range';
  /** The fields of models that it is about, as far as they are known. */
  readonly fields: readonly string[];
}

/** What is wrong with an input; and with the call, if no input has the name of a violating column. */
const FAULTS: Readonly<
  Record<
    Exclude<Violation['kind'], 'missingRow' | 'referred'>,
    readonly [ErrorCode, string, string]
  >
> = {
  unique: ['CONFLICT', 'is taken already', 'There is one already with the same values'],
  reference: [
    'BAD_USER_INPUT',
    'refers to nothing that exists',
    'Something that is referred to does not exist',
  ],
  check: ['BAD_USER_INPUT', 'has a value that is not allowed', 'A value is not allowed'],
  null: ['BAD_USER_INPUT', 'must not be null', 'A required value is missing'],
  range: ['BAD_USER_INPUT', 'is too large or too long', 'A value is too large or too long'],
};

/** The message of a CONFLICT about an input. */
export function takenMessage(name: string): string {
  return `${name} ${FAULTS.unique[1]}`;
}

/** A violation as its caller sees it: by the names of inputs, without those of the database. */
export function violationError(
  { kind, fields }: Violation,
  args: object,
  { parentType, fieldName, returnType }: GraphQLResolveInfo,
): GraphQLError {
  const field = parentType.getFields()[fieldName];
  if (kind === 'missingRow') {
    const type = getNamedType(returnType);
    const { notFound } = field?.extensions ?? {};
    return codedError('NOT_FOUND', notFound ?? `There is no ${nounIn(type)} with this id`);
  }
  if (kind === 'referred') {
    // Nothing is wrong with any input.
    return codedError('CONFLICT', 'Others still refer to this');
  }
  const [code, fault, whole] = FAULTS[kind];
  const names = new Set(fields.map(plain));
  const paths = (field?.args ?? []).flatMap((input) =>
    pathsOf(input, Reflect.get(args, input.name), names),
  );
  if (paths.length > 0) {
    return inputError(
      paths.map((path) => ({ path, message: `${String(path.at(-1))} ${fault}` })),
      code,
    );
  }
  return codedError(code, whole);
}

/** The paths of the inputs with one of some names, at or below an input. */
function pathsOf(
  input: Input,
  value: unknown,
  names: ReadonlySet<string>,
  above: InputPath = [],
): InputPath[] {
  const path = [...above, input.name];
  const type = getNamedType(input.type);
  if (!isInputObjectType(type)) {
    return names.has(plain(input.name)) ? [path] : [];
  }
  return isJsonObject(value)
    ? Object.values(type.getFields()).flatMap((member) =>
        pathsOf(member, value[member.name], names, path),
      )
    : [];
}

/** `keeper_id` and `keeperId` are the same name. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
