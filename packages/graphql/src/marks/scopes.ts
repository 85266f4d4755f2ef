import {
  type FieldNode,
  getNamedType,
  getOperationAST,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLError,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { missingScopes, type Scopes } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import { type Marker, membersOf } from './walk.ts';
import type { Scoped } from '../extensions/extensions.ts';
import { fieldsOf, memoizePerOperation, type ValidOperation } from '../execution/operation.ts';
import { createUses, type Use } from './uses.ts';
import type { ExecuteInTime, Operation } from '../execution/execute.ts';

/** The properties of a field that determine which scopes it needs. */
interface ScopedField {
  readonly type: GraphQLOutputType;
  readonly extensions: Scoped;
}

/** Returns the scopes that a type as a whole needs. */
export function scopesOfType(type: GraphQLNamedType): readonly string[] {
  const isScoped = isObjectType(type) || isInterfaceType(type) || isUnionType(type);
  return (isScoped ? type.extensions.scopes : undefined) ?? [];
}

/** Returns the scopes that a field needs: its own, and those of the type that it returns. */
export function scopesOfField({ type, extensions }: ScopedField): readonly string[] {
  return [...new Set([...(extensions.scopes ?? []), ...scopesOfType(getNamedType(type))])];
}

/** Returns the needed scopes that a caller lacks. */
export function missingScopesOf(scopes: Scopes, needed: Iterable<string>): string[] {
  return scopes === 'all' ? [] : [...needed].filter((scope) => !scopes.has(scope));
}

/**
 * Checks that a caller has the needed scopes.
 *
 * @throws FORBIDDEN, with the names of the missing scopes
 */
export function expectScopes(scopes: Scopes, needed: readonly string[]): void {
  const lacking = missingScopesOf(scopes, needed);
  if (lacking.length > 0) {
    throw missingScopes(lacking);
  }
}

/** Returns all elements of a schema that need scopes in addition to those that every field of Query or Mutation needs. */
export function scopedMembersOf(schema: GraphQLSchema): ReturnType<typeof membersOf> {
  return membersOf(schema).filter(
    ({ member: { extensions } }) => (extensions.scopes ?? []).length > 0,
  );
}

/**
 * Rejects scopes that no caller can have.
 *
 * @throws Error that names the element with such a scope
 */
export function expectKnownScopes(schema: GraphQLSchema, known: ReadonlySet<string>): void {
  for (const { coordinate, member } of scopedMembersOf(schema)) {
    const unknown = member.extensions.scopes?.find((scope) => !known.has(scope));
    if (unknown !== undefined) {
      throw new Error(
        `${coordinate} needs the scope ${unknown}, which the store doesn't define: add it to access.scopes`,
      );
    }
  }
}

/**
 * Rejects scopes that could be bypassed.
 *
 * @throws Error that names the element and the remedy
 */
export const scopeChecks: Marker = {
  type: (type) => {
    if (isUnionType(type)) {
      type.getTypes().forEach((member) => {
        expectDeclared(member, type);
      });
    } else if (isObjectType(type) || isInterfaceType(type)) {
      type.getInterfaces().forEach((each) => {
        expectDeclared(type, each);
      });
    }
  },
  argument: (argument, coordinate, field) => {
    const needed = isRequiredArgument(argument) ? scopesOfField(field) : undefined;
    expectLeftOut(coordinate, argument, needed);
  },
  inputField: (field, coordinate) => {
    expectLeftOut(coordinate, field, isRequiredInputField(field) ? [] : undefined);
  },
};

type Type = Parameters<typeof scopesOfType>[0];

/**
 * Checks that a type's scopes are declared on its interface or union, too: a field that returns it needs only the scopes
 * declared there.
 */
function expectDeclared(type: Type, other: Type): void {
  const declared = scopesOfType(other);
  const missing = scopesOfType(type).find((scope) => !declared.includes(scope));
  if (missing !== undefined) {
    throw new Error(
      `${type.name} needs the scope ${missing}, which a field of type ${other.name} would bypass: declare the scope on ${other.name}, too`,
    );
  }
}

/**
 * Checks that callers without an input's scopes can omit the input.
 *
 * @param needed the scopes that the field itself needs, which don't count if the input is required
 */
function expectLeftOut(
  of: string,
  input: GraphQLArgument | GraphQLInputField,
  needed: readonly string[] | undefined,
): void {
  const { scopes = [] } = input.extensions;
  const more = needed && scopes.find((scope) => !needed.includes(scope));
  if (more !== undefined) {
    throw new Error(
      `${of} is required and needs the scope ${more}: declare the scope on the whole field, or make the input optional`,
    );
  }
  if (scopes.length > 0 && needed === undefined && input.defaultValue !== undefined) {
    throw new Error(`${of} needs the scope ${scopes[0]} and therefore can't have a default`);
  }
  const preset = scopedDefault(input.type, input.defaultValue);
  if (preset !== undefined) {
    throw new Error(`the default of ${of} can't set ${preset.name}, which needs a scope`);
  }
}

function scopedDefault(type: GraphQLInputType, value: unknown): GraphQLInputField | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => scopedDefault(type, item)).find((found) => found !== undefined);
  }
  const named = getNamedType(type);
  const fields =
    isInputObjectType(named) && isJsonObject(value) ? Object.values(named.getFields()) : [];
  for (const field of fields) {
    const member = isJsonObject(value) ? value[field.name] : undefined;
    const isScoped = member !== undefined && (field.extensions.scopes ?? []).length > 0;
    const found = isScoped ? field : scopedDefault(field.type, member);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** The names of scopes. */
type Names = readonly string[];

const { possibleUsesOf, usesOf } = createUses<Names>({
  ofField: (field, parent, schema) =>
    // Introspection reveals no stored data.
    field.name.startsWith('__')
      ? undefined
      : undefinedIfEmpty([...scopesOfRoot(parent, schema), ...scopesOfField(field)]),
  ofGiven: ({ extensions }) => undefinedIfEmpty(extensions.scopes ?? []),
});

/** Returns the scopes that every field of Query or Mutation needs, whatever it declares. */
export function scopesOfRoot(parent: GraphQLCompositeType, schema: GraphQLSchema): Names {
  if (parent === schema.getMutationType()) {
    return ['write'];
  }
  return parent === schema.getQueryType() || parent === schema.getSubscriptionType()
    ? ['read']
    : [];
}

function undefinedIfEmpty(scopes: Names): Names | undefined {
  return scopes.length === 0 ? undefined : scopes;
}

/** Returns all scopes that a document needs, whatever its variables are. */
export const scopesOfDocument = memoizePerOperation((operation): ReadonlySet<string> =>
  withRead(operation, scopesOfUses(possibleUsesOf(operation).always)),
);

/**
 * Returns the scopes that a caller needs for any part of an operation to be executed: those of fields of Query and Mutation,
 * whether or not a directive omits them, and those of the inputs that the operation uses. Other fields whose scopes are missing
 * fail individually.
 */
function scopesBeforeExecution(operation: ValidOperation): ReadonlySet<string> {
  return withRead(operation, scopesOfUses(usesOf(operation).filter(isBeforeExecution)));
}

/** Adds `read` to the scopes of a mutation that returns more than it has changed. */
function withRead(operation: ValidOperation, scopes: ReadonlySet<string>): ReadonlySet<string> {
  return showsRows(operation) ? new Set([...scopes, 'read']) : scopes;
}

/**
 * Whether a mutation selects more than the ids of rows that it changes and the columns of rows that it creates. Such a mutation
 * needs the scope `read`: otherwise, a caller without that scope could read any row through an update that changes nothing.
 */
const showsRows = memoizePerOperation(({ schema, document }): boolean => {
  const operation = getOperationAST(document);
  const root = schema.getMutationType() ?? undefined;

  function anyShows(
    selectionSet: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    isCreated = false,
  ): boolean {
    return fieldsOf(selectionSet, document).some(({ node, condition }) => {
      const type = condition === undefined ? parent : schema.getType(condition);
      return shows(node, type, isCreated);
    });
  }

  function shows(
    { name: { value: name }, selectionSet }: FieldNode,
    parent: GraphQLNamedType | undefined,
    isCreated: boolean,
  ): boolean {
    const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (parent === undefined || field === undefined) {
      return false;
    }
    if (isOfRows(parent, schema) && name !== 'id' && !(isCreated && selectionSet === undefined)) {
      return true;
    }
    const creates = parent === root && field.extensions.createsRow === true;
    return selectionSet !== undefined && anyShows(selectionSet, getNamedType(field.type), creates);
  }

  return (
    operation?.operation === OperationTypeNode.MUTATION && anyShows(operation.selectionSet, root)
  );
});

function isOfRows(type: GraphQLNamedType, schema: GraphQLSchema): boolean {
  return isAbstractType(type)
    ? schema.getPossibleTypes(type).some((each) => isOfRows(each, schema))
    : isObjectType(type) && type.extensions.pothosPrismaModel !== undefined;
}

function isBeforeExecution({ node, rootKey }: Use<Names>): boolean {
  return node.kind !== Kind.FIELD || rootKey !== undefined;
}

function scopesOfUses(uses: readonly Use<Names>[]): ReadonlySet<string> {
  return new Set(uses.flatMap(({ mark }) => mark));
}

/** Wraps `execute` to reject operations whose caller lacks a required scope. The result is FORBIDDEN, and nothing is executed. */
export function withinScopes<Caller>(
  schema: GraphQLSchema,
  scopesOf: (caller: Caller) => Scopes,
  execute: ExecuteInTime<Caller>,
  onDenied?: (caller: Caller, operation: Operation, error: GraphQLError) => void,
): ExecuteInTime<Caller> {
  return (operation, request) => {
    const scopes = scopesOf(request.caller);
    if (scopes !== 'all') {
      const lacking = missingScopesOf(scopes, scopesBeforeExecution({ schema, ...operation }));
      if (lacking.length > 0) {
        const error = missingScopes(lacking);
        onDenied?.(request.caller, operation, error);
        return Promise.resolve({ errors: [error] });
      }
    }
    return execute(operation, request);
  };
}
