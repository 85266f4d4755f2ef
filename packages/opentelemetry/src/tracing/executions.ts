import { getOperationAST, type GraphQLSchema } from 'graphql';
import { redactKeys, type TracedExecute, takingRowsAs } from '@store-gateway/ops';
import { inSpan, recordError } from './spans.ts';

/** A client's own operation name may be as long as it likes. */
const MAX_NAME_LENGTH = 64;

/**
 * Gives each operation a span (https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/), without its document,
 * which may contain values; and each root field that is resolved.
 */
export function traceExecutions<Rest extends readonly unknown[]>(
  execute: TracedExecute<Rest>,
  schema: GraphQLSchema,
): TracedExecute<Rest> {
  traceRootFields(schema);
  return (operation, ...rest) => {
    const executed = getOperationAST(operation.document, operation.operationName);
    const type = executed?.operation;
    const name = redactKeys(executed?.name?.value ?? '').slice(0, MAX_NAME_LENGTH);
    const attributes = {
      'graphql.operation.type': type,
      'graphql.operation.name': name || undefined,
    };
    return inSpan(type ?? 'GraphQL Operation', { attributes }, async (span) => {
      const result = await execute(operation, ...rest);
      const [error] = result.errors ?? [];
      if (span !== undefined && error !== undefined) {
        recordError(span, error);
      }
      return result;
    });
  };
}

/** Only they do work: the fields below them read what they return. */
function traceRootFields(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (resolve !== undefined) {
        field.resolve = takingRowsAs(resolve, (...args) =>
          inSpan(`${type?.name}.${field.name}`, {}, async () => {
            const value: unknown = await resolve(...args);
            return value;
          }),
        );
      }
    }
  }
}
