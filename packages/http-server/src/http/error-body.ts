import type { GraphQLError } from 'graphql';

/** An error of the closed list as REST tells it: the contract's Error. */
export function errorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { code, message, status };
}

/** The same as GraphQL tells it, where no operation was executed. */
export function graphqlErrorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { errors: [{ message, extensions: { code, status } }] };
}
