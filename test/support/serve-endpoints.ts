import { createRequestListener, listen, type Endpoint } from '@store-gateway/http';

/** Starts a server with only these endpoints. */
export async function serveEndpoints(
  endpoints: readonly Endpoint[],
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const listener = createRequestListener({ endpoints, logSample: 0 });
  const { url, close } = await listen(listener, { host: '127.0.0.1', port: 0 });
  return { url, close: () => close() };
}
