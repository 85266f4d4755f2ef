import { startGatewayStore } from '../processes/gateway-store.ts';
import type { Session } from '../processes/session.ts';

/** The gateways that are compared: the name of each, and its zlib level, if it compresses. */
export const GATEWAYS = [
  ['none', undefined],
  ['gzip, level 1', 1],
  ['gzip, level 6', 6],
] as const;

const preload = (level: number) =>
  `--import=${new URL(`gzip-in-process.ts?level=${level}`, import.meta.url).href}`;

/** Starts gateways on one store, all but the first of which compress what they send. */
export async function startGateways(
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Session> {
  const { postgres, startGateway } = await startGatewayStore(folder, stack, signal);
  const subjects: Session['subjects'] = new Map(
    await Promise.all(
      GATEWAYS.map(async ([name, level]) => {
        const env = level === undefined ? {} : { NODE_OPTIONS: preload(level) };
        return [name, await startGateway({ name: `gateway-${level ?? 0}`, env })] as const;
      }),
    ),
  );
  return { postgres, subjects };
}

/** The length of a page of 50 animals as each sends it, in bytes. @throws if a gateway doesn't compress as it should */
export async function pageLengths({ subjects }: Session): Promise<ReadonlyMap<string, number>> {
  const lengths = new Map<string, number>();
  for (const [name, { server, key }] of subjects) {
    const headers = { Authorization: `Bearer ${key}` };
    const page = await fetch(`${server.url}/v1/pets?limit=50`, { headers });
    await page.body?.cancel();
    const isCompressed = page.headers.get('Content-Encoding') === 'gzip';
    if (isCompressed === (name === 'none')) {
      throw new Error(`${name} is not what it says`);
    }
    lengths.set(name, Number(page.headers.get('Content-Length')));
  }
  return lengths;
}
