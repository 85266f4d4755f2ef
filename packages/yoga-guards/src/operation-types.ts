import { GraphQLError, type ASTVisitor, type ValidationContext } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Holds every request to the rule. */
export function useKnownOperationTypes(): Plugin {
  return {
    onValidate(payload) {
      payload.addValidationRule(KnownOperationTypesRule);
    },
  };
}

/**
 * Refuses operations of a type that the schema doesn't have, such as a subscription. graphql-js finds
 * them valid (https://spec.graphql.org/draft/#sec-Root-Operation-Types says they are not), and the
 * executor would fail on them.
 */
export function KnownOperationTypesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation) == null) {
        context.reportError(
          new GraphQLError(`The schema has no ${node.operation} operations.`, { nodes: node }),
        );
      }
    },
  };
}
