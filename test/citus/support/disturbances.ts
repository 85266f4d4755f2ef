import { childrenOf } from '../../support/process-list.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { NodeProxy } from './node-proxy.ts';

/** Cuts connections at statements that fit, also those that are to recover what was prepared; returns what ends that. */
export function cutAll(
  proxy: NodeProxy | undefined,
  statement: RegExp,
  cut: 'unsent' | 'unanswered',
): () => void {
  proxy?.decideBy((text) => (statement.test(text) ? { cut } : undefined));
  return () => proxy?.decideBy(() => undefined);
}

/** Holds statements that fit until they are let go. */
export function hold(proxy: NodeProxy | undefined, statement: RegExp) {
  const { promise: after, resolve } = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<undefined>();
  proxy?.decideBy((text) => {
    if (!statement.test(text)) return undefined;
    reached.resolve(undefined);
    return { after };
  });
  return {
    reached: reached.promise,
    letGo: () => {
      proxy?.decideBy(() => undefined);
      resolve(undefined);
    },
  };
}

/** Halts all processes of a node; returns what lets them go on. */
export async function freeze(node: PostgresServer): Promise<() => void> {
  const postmaster = node.processId() ?? Number.NaN;
  signal(postmaster, 'SIGSTOP');
  // From now on it makes no more of them.
  const children = await childrenOf(postmaster);
  for (const id of children) signal(id, 'SIGSTOP');
  return () => {
    for (const id of [...children, postmaster]) signal(id, 'SIGCONT');
  };
}

/** One that has just ended gets none. */
export function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    return;
  }
}
