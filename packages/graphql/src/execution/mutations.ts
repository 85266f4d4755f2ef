import {
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type ValueNode,
} from 'graphql';
import { errorCode } from '@store-gateway/ops/errors';
import type { MutationResult } from '../extensions/extensions.ts';
import { fieldsOf, keyOf, memoizePerOperation, type ValidOperation } from './operation.ts';

/** The outcome of a field of Mutation. */
export interface MutationOutcome {
  /** The field's name. */
  readonly operation: string;
  /** The ids of the rows that the field was asked to change, or has returned. */
  readonly ids: readonly string[];
  /** `ok`, `replayed`, or the error's code. */
  readonly outcome: string;
}

/** Listeners for an operation's mutations during its execution. */
export interface MutationListeners {
  /** Called if a write with the same idempotency key has already taken effect. */
  readonly onReplay?: (() => void) | undefined;
  /** Called when a field of Mutation has been resolved, with its key in the result. */
  readonly onMutated?: ((key: string, result: MutationResult) => void) | undefined;
}

/** An operation in a valid document of a schema. */
type Operation = Omit<ValidOperation, 'schema'>;

/** Executes an operation for a request. */
type Execute<Request> = (operation: Operation, request: Request) => Promise<ExecutionResult>;

type Resolved = MutationResult & { readonly isReplay: boolean };

/**
 * Wraps `execute` to report the outcome of each field of Mutation. A field that isn't executed because an earlier one failed
 * isn't reported.
 */
export function reportMutations<Request extends MutationListeners>(
  schema: GraphQLSchema,
  execute: Execute<Request>,
  onMutation: (request: Request, mutation: MutationOutcome) => void,
): Execute<Request> {
  return async (operation, request) => {
    const fields = mutationFields({ schema, ...operation });
    if (fields.length === 0) {
      return execute(operation, request);
    }
    const resolved = new Map<string, Resolved>();
    let isReplay = false;
    const result = await execute(operation, {
      ...request,
      onReplay: () => {
        isReplay = true;
        request.onReplay?.();
      },
      // Fields of Mutation are resolved one after another.
      onMutated: (key: string, given: MutationResult) => {
        resolved.set(key, { ...given, isReplay });
        isReplay = false;
      },
    });
    for (const field of fields) {
      const own = resolved.get(field.key);
      const outcome = outcomeOf(field.key, result, own);
      if (outcome !== undefined) {
        const returned = own !== undefined && 'ids' in own ? own.ids : [];
        const ids = new Set([...idsGiven(field, operation), ...returned]);
        onMutation(request, { operation: field.name, ids: [...ids], outcome });
      }
    }
    return result;
  };
}

/** Returns the outcomes of the mutations in an operation that was rejected before it was executed. */
export function rejectedMutations(
  operation: ValidOperation,
  error: unknown,
): readonly MutationOutcome[] {
  const outcome = errorCode(error) ?? 'INTERNAL_SERVER_ERROR';
  return mutationFields(operation).map((field) => ({
    operation: field.name,
    ids: idsGiven(field, operation),
    outcome,
  }));
}

function outcomeOf(
  key: string,
  { data, errors = [] }: ExecutionResult,
  resolved: Resolved | undefined,
): string | undefined {
  if (resolved !== undefined && 'ids' in resolved) {
    // An error below the field doesn't undo the mutation.
    return resolved.isReplay ? 'replayed' : 'ok';
  }
  const error = data === undefined ? errors[0] : errors.find(({ path = [] }) => path[0] === key);
  if (error !== undefined || resolved !== undefined) {
    return errorCode(error) ?? errorCode(resolved?.error) ?? 'INTERNAL_SERVER_ERROR';
  }
  // The resolvers of this schema don't call `onMutated`.
  return data != null && Object.hasOwn(data, key) ? 'ok' : undefined;
}

/** A field of Mutation that an operation selects. */
interface MutationField {
  readonly name: string;
  /** Its key in the result. */
  readonly key: string;
  /** The value of the argument `id`. */
  readonly id: ValueNode | undefined;
}

/** Maximum length of an id. A longer text isn't logged, because it could contain anything. */
const MAX_ID_LENGTH = 64;

/** Returns the fields of Mutation that an operation selects; none for a query. */
const mutationFields = memoizePerOperation(({ schema, document }): readonly MutationField[] => {
  const operation = getOperationAST(document);
  if (operation?.operation !== OperationTypeNode.MUTATION) {
    return [];
  }
  const known = schema.getMutationType()?.getFields() ?? {};
  const fields = new Map<string, MutationField>();
  for (const { node } of fieldsOf(operation.selectionSet, document)) {
    const name = node.name.value;
    if (Object.hasOwn(known, name)) {
      const key = keyOf(node);
      const id = node.arguments?.find((argument) => argument.name.value === 'id');
      fields.set(key, { name, key, id: id?.value });
    }
  }
  return [...fields.values()];
});

/** Returns the id in a field's arguments, if there is one. */
function idsGiven(
  { id }: MutationField,
  { variableValues }: Pick<ValidOperation, 'variableValues'>,
): readonly string[] {
  const value = valueOf(id, variableValues);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return [];
  }
  const text = String(value);
  return text.length > MAX_ID_LENGTH ? [] : [text];
}

/** Returns the value of an argument. A literal keeps the text that was sent, with all its digits. */
function valueOf(
  node: ValueNode | undefined,
  variableValues: ValidOperation['variableValues'],
): unknown {
  switch (node?.kind) {
    case Kind.INT:
    case Kind.STRING:
      return node.value;
    case Kind.VARIABLE:
      return variableValues?.[node.name.value];
    default:
      return undefined;
  }
}
