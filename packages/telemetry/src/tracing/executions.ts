import { getOperationAST, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { hideKeys } from '@gateway/log/redact-keys';
import { noteError, within } from './spans.ts';
import type { Execute } from '../tracer.ts';

/** Longer names that clients give their operations are cut: they are as long as a client likes. */
const NAME_LENGTH = 64;

/**
 * Gives each operation a span (https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/), without
 * its document, which may have values in it; and each root field that it resolves, whoever executes it.
 */
export function traceExecutions<Rest extends readonly unknown[]>(
  execute: Execute<Rest>,
  schema: GraphQLSchema,
): Execute<Rest> {
  traceRootFields(schema);
  return (operation, ...rest) => {
    const executed = getOperationAST(operation.document, operation.operationName);
    const type = executed?.operation;
    const attributes = {
      'graphql.operation.type': type,
      'graphql.operation.name':
        hideKeys(executed?.name?.value ?? '').slice(0, NAME_LENGTH) || undefined,
    };
    return within(type ?? 'GraphQL Operation', { attributes }, async (span) => {
      const result = await execute(operation, ...rest);
      const [error] = result.errors ?? [];
      if (span !== undefined && error !== undefined) {
        noteError(span, error);
      }
      return result;
    });
  };
}

/** They alone do work: what they give are rows, whose fields are read. */
function traceRootFields(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (field.resolve !== undefined) {
        field.resolve = traced(`${type?.name}.${field.name}`, field.resolve);
      }
    }
  }
}

function traced(
  name: string,
  resolve: GraphQLFieldResolver<unknown, unknown>,
): GraphQLFieldResolver<unknown, unknown> {
  return (root, args, contextValue, info) =>
    within(name, {}, async () => {
      const value: unknown = await resolve(root, args, contextValue, info);
      return value;
    });
}
