import { GraphQLError, type ASTVisitor, type ValidationContext } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Refuses to tell the schema. */
export function useNoIntrospection(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(NoIntrospectionRule);
    },
  };
}

/** As graphql-js's NoSchemaIntrospectionCustomRule, but it says what is the matter. */
function NoIntrospectionRule(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const name = node.name.value;
      if (name === '__schema' || name === '__type') {
        context.reportError(
          new GraphQLError(`Introspection is switched off: ${name} is not answered`, {
            nodes: node,
          }),
        );
      }
    },
  };
}
