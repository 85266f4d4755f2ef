import type { GraphQLError } from 'graphql';

/** An error as REST writes it: its code, message and status. */
export function errorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { code, message, status };
}

/** The same as GraphQL writes it, where no operation was executed. */
export function graphqlErrorBody({ message, extensions: { code, status } }: GraphQLError): object {
  return { errors: [{ message, extensions: { code, status } }] };
}
