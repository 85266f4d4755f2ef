import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/errors/coded-error';

export const NOT_FOUND = 'There is nothing at this address';

export function notFound(): GraphQLError {
  return codedError('NOT_FOUND', NOT_FOUND);
}
