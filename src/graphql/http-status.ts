import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { errorCode, RETRY_AFTER_SECONDS } from '../errors.ts';

/**
 * Gives a result without data its error's HTTP status; one with data is 200 whatever else went wrong,
 * as GraphQL over HTTP has it. Resolvers know nothing of this.
 */
export function useHttpStatus(): Plugin {
  return {
    onResultProcess(payload) {
      const { result } = payload;
      if (Array.isArray(result) || Symbol.asyncIterator in result || result.errors === undefined) {
        return;
      }
      const { errors } = result;
      for (const { extensions } of errors) {
        // Yoga's own errors come with an HTTP status, but without telling it in the body.
        extensions.status ??= extensions.http?.status ?? 500;
      }
      const failed = errors.some(({ extensions }) => (extensions.status ?? 500) >= 500);
      if (failed && !hasData(result)) {
        // Through a fault of ours nothing was got: the request as a whole failed, and its status is to
        // say so to proxies, and to clients that try again.
        payload.setResult({ errors });
      } else if ('data' in result) {
        return;
      }
      const unavailable = errors.some((error) => errorCode(error) === 'SERVICE_UNAVAILABLE');
      for (const error of errors) {
        error.extensions.http ??= {
          status: error.extensions.status ?? 500,
          ...(unavailable && { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } }),
        };
      }
    },
  };
}

function hasData({ data }: ExecutionResult): boolean {
  return data != null && Object.values(data).some((value) => value !== null);
}
