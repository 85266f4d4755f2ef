import {
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { createFlights } from '@gateway/coalescing/coalesce';
import { recorder } from '@gateway/telemetry/recorder';
import { tracer } from '@gateway/telemetry/tracer';
import { perOperation } from './memoize-per-operation.ts';

type Executor = (args: ExecutionArgs) => Promise<ExecutionResult>;

/**
 * Executes an operation once for all who ask for it at a time with the same variables, if its fields tell
 * everyone the same (packages/pothos-plugins/src/shared-field.ts). Their result is one object, which nobody may change.
 */
export function createSharedReads(): (
  args: ExecutionArgs,
  execute: Executor,
) => Promise<ExecutionResult> {
  const flights = createFlights<ExecutionResult>(recorder.coalescingAt('operations'));
  const share = tracer.coalescer(flights);
  return async (args, execute) => {
    const operation = sharedNumber(args);
    const variables = operation && exactText(args.variableValues ?? {});
    return variables === undefined
      ? execute(args)
      : share(`${operation} ${variables}`, () => execute(args));
  };
}

let sharedOperations = 0;

/** Names an operation that may be shared, for as long as it is known; undefined for one that may not. */
const sharedNumber = perOperation((document, schema) => {
  if (!isSameForEveryone(document, schema)) {
    return undefined;
  }
  sharedOperations += 1;
  return String(sharedOperations);
});

function isSameForEveryone(document: DocumentNode, schema: GraphQLSchema): boolean {
  const typeInfo = new TypeInfo(schema);
  let isSame = true;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      OperationDefinition: ({ operation }) => {
        isSame &&= operation === OperationTypeNode.QUERY;
      },
      Field: () => {
        if (typeInfo.getParentType() === schema.getQueryType()) {
          isSame &&= typeInfo.getFieldDef()?.extensions.sameForEveryone === true;
        }
      },
    }),
  );
  return isSame;
}

/** Variables as a text that says all of them, or undefined if JSON can't. */
function exactText(variables: object): string | undefined {
  let isExact = true;
  const text = JSON.stringify(variables, (_name, value: unknown) => {
    // JSON writes null for a number that isn't finite, such as 1e400.
    if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) {
      isExact = false;
      return null;
    }
    return value;
  });
  return isExact ? text : undefined;
}
