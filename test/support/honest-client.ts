import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** What a request came to. */
export interface HonestAnswer {
  /** 0 if there was no answer. */
  readonly status: number;
  /** The body, or else the code of the error, or its message. */
  readonly text: string;
}

export interface HonestClient {
  readonly ask: (
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<HonestAnswer>;
  /** Closes its connections. */
  readonly close: () => void;
}

/**
 * A client with a good key, which keeps to HTTP whatever others do beside it.
 *
 * @param patience milliseconds after which it gives up a request
 */
export function createHonestClient(url: string, key: string, patience: number): HonestClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    ask: async (method, path, body, headers = {}) => {
      const options = {
        agent,
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        signal: AbortSignal.timeout(patience),
      };
      try {
        const response = await new Promise<IncomingMessage>((resolve, reject) => {
          request(new URL(path, url), options)
            .once('response', resolve)
            .once('error', reject)
            .end(body && JSON.stringify(body));
        });
        return { status: response.statusCode ?? 0, text: await text(response) };
      } catch (error) {
        const isCoded = error instanceof Error && 'code' in error;
        return { status: 0, text: String(isCoded ? error.code : error) };
      }
    },
    close: () => {
      agent.destroy();
    },
  };
}
