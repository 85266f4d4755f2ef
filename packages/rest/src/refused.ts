import { serve, type Exchange, type ServeDependencies } from './serve.ts';
import type { PreparedRoute } from './rest.ts';

/** Serves a request, and tells of one to change something that was refused before its operation was executed. */
export async function serveTold<Caller>(
  route: PreparedRoute,
  dependencies: ServeDependencies<Caller>,
  exchange: Exchange,
): Promise<void> {
  const { onRefused, admit, execute } = dependencies;
  if (onRefused === undefined || route.method === 'get') {
    await serve(route, dependencies, exchange);
    return;
  }
  let admitted: { readonly caller: Caller } | undefined;
  let isExecuted = false;
  const noting: ServeDependencies<Caller> = {
    ...dependencies,
    admit: async (request) => {
      const given = await admit(request);
      admitted = given;
      return given;
    },
    execute: (operation, request) => {
      isExecuted = true;
      return execute(operation, request);
    },
  };
  try {
    await serve(route, noting, exchange);
  } catch (error) {
    if (admitted !== undefined && !isExecuted) {
      const { operation, parameters } = exchange;
      onRefused(
        admitted.caller,
        { document: operation.document, variableValues: parameters },
        error,
      );
    }
    throw error;
  }
}
