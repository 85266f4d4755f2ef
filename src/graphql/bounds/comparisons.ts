import { GraphQLError } from 'graphql';

/**
 * Names the bound that graphql-js has of its own: it gives up validating a document with very many
 * fields of one name, which it would have to compare each with each, and says no more than that.
 */
export function withComparisonsNamed(errors: readonly Error[]): Error[] {
  return errors.map((error) =>
    error.message === 'Validation aborted.'
      ? new GraphQLError('The document has too many fields of the same name to be validated')
      : error,
  );
}
