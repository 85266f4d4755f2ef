import { GraphQLError, type ASTVisitor, type ValidationContext } from 'graphql';

/**
 * Rejects operations of a type that the schema doesn't have, such as subscriptions. They aren't valid
 * (https://spec.graphql.org/draft/#sec-Root-Operation-Types), but graphql-js accepts them and fails to execute them.
 */
export function KnownOperationTypesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation) == null) {
        const message = `The schema has no ${node.operation} operations.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}

/** graphql-js's NoSchemaIntrospectionCustomRule, with a message that says that introspection is off. */
export function NoIntrospectionRule(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const name = node.name.value;
      if (name === '__schema' || name === '__type') {
        const message = `Introspection is disabled: ${name} cannot be queried`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}
