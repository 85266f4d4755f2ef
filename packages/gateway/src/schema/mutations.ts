import type { Context } from '../definition.ts';
import type { GraphQLResolveInfo } from 'graphql';
import { loggedRequest } from '@store-gateway/ops';
import type { MutationResult } from '@store-gateway/graphql';

/** Notes which field of Mutation is being resolved, and tells the request's operation what has become of it. */
export function onResolve(
  { onMutated }: Pick<Context, 'onMutated'>,
  { fieldName, path }: Pick<GraphQLResolveInfo, 'fieldName' | 'path'>,
): (result: MutationResult) => void {
  const request = loggedRequest();
  if (request !== undefined) {
    request.mutation = fieldName;
  }
  return (result) => onMutated?.(String(path.key), result);
}
