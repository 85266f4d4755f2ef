import {
  getNamedType,
  getOperationAST,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionSetNode,
  type GraphQLError,
} from 'graphql';
import { scopesOfField, lackingScopes } from '../extensions/scopes.ts';
import { fieldsOf, memoizePerOperation, type ValidOperation } from '../execution/operation.ts';
import { createUses, type Use } from './uses.ts';
import { missingScopes, type Scopes } from '@store-gateway/ops/errors';
import type { ExecuteInTime, Operation } from '../execution/execute.ts';

/** The names of scopes that are needed. */
type Names = readonly string[];

const { possibleUsesOf, usesOf } = createUses<Names>({
  ofField: (field, parent, schema) =>
    // Introspection reveals no stored data.
    field.name.startsWith('__')
      ? undefined
      : orNone([...scopesOfRoot(parent, schema), ...scopesOfField(field)]),
  ofGiven: ({ extensions }) => orNone(extensions.scopes ?? []),
});

/** The scopes that all fields of Query or Mutation need, whatever they declare. */
export function scopesOfRoot(parent: GraphQLCompositeType, schema: GraphQLSchema): Names {
  if (parent === schema.getMutationType()) {
    return ['write'];
  }
  return parent === schema.getQueryType() || parent === schema.getSubscriptionType()
    ? ['read']
    : [];
}

function orNone(scopes: Names): Names | undefined {
  return scopes.length === 0 ? undefined : scopes;
}

/** All scopes that a document needs, whatever its variables are. */
export const scopesOfDocument = memoizePerOperation((operation): ReadonlySet<string> =>
  withRead(operation, scopesOfUses(possibleUsesOf(operation).always)),
);

/**
 * The scopes that must be present before any part of an operation is executed: those of fields of Query and Mutation, whether
 * or not a directive omits them, and those of the inputs that it uses. Other fields whose scopes are missing fail on their own.
 */
function scopesBeforeExecution(operation: ValidOperation): ReadonlySet<string> {
  return withRead(operation, scopesOfUses(usesOf(operation).filter(isBeforeExecution)));
}

/** Adds `read` to the scopes of a mutation that shows rows. */
function withRead(operation: ValidOperation, scopes: ReadonlySet<string>): ReadonlySet<string> {
  return showsRows(operation) ? new Set([...scopes, 'read']) : scopes;
}

/**
 * Whether a mutation selects more than the ids of rows that it changes and the columns of rows that it creates. Without the
 * scope `read`, a caller could otherwise read any row by an update that changes nothing.
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

/**
 * Wraps `execute` to reject operations whose caller lacks a scope that they need before execution. The result is FORBIDDEN, and
 * nothing is executed.
 */
export function withinScopes<Caller>(
  schema: GraphQLSchema,
  scopesOf: (caller: Caller) => Scopes,
  execute: ExecuteInTime<Caller>,
  onRefused?: (caller: Caller, operation: Operation, error: GraphQLError) => void,
): ExecuteInTime<Caller> {
  return (operation, request) => {
    const scopes = scopesOf(request.caller);
    if (scopes !== 'all') {
      const lacking = lackingScopes(scopes, scopesBeforeExecution({ schema, ...operation }));
      if (lacking.length > 0) {
        const error = missingScopes(lacking);
        onRefused?.(request.caller, operation, error);
        return Promise.resolve({ errors: [error] });
      }
    }
    return execute(operation, request);
  };
}
