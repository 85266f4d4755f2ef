import { keptForFile } from '../../support/clean-up.ts';
import {
  createMessageReader,
  type Message,
  startProxyServer,
  type ProxyServer,
} from '../../support/database-proxy.ts';

/** How the proxy treats a statement on its way to a node. */
export interface Fate {
  /** The statement is forwarded after this has resolved. */
  readonly after?: Promise<unknown>;
  /** Cuts the connection before the node receives the statement, or when the node responds, without forwarding the response. */
  readonly cut?: 'unsent' | 'unanswered';
}

/** A proxy for a node, which lets a test delay statements and cut connections. */
export interface NodeProxy extends ProxyServer {
  /** Applies `fateOf` to each statement until `meanwhile` resolves. Later statements on a connection wait for earlier ones. */
  readonly disturb: (fateOf: FateOf, meanwhile: () => Promise<unknown>) => Promise<void>;
  /** Holds matching statements. Resolves when one is held. @returns a function that forwards them */
  readonly hold: (statement: RegExp) => Promise<() => void>;
}

type FateOf = (statement: string) => Fate | undefined;

const TEXT_AT = 5;

/** Starts a proxy, for clients without TLS, for a node on the Unix socket in the URL's `host`. It ends with the test file. */
export async function startNodeProxy(nodeUrl: string): Promise<NodeProxy> {
  let fateOf: FateOf | undefined;
  const server = keptForFile(
    await startProxyServer(nodeUrl, (client, node) => {
      let passing = Promise.resolve();
      let isUnanswered = false;
      const pass = async (message: Message): Promise<void> => {
        const statement = statementIn(message);
        const fate = statement === undefined ? undefined : fateOf?.(statement);
        await fate?.after;
        if (fate?.cut === 'unsent') {
          client.destroy();
          return;
        }
        isUnanswered ||= fate?.cut === 'unanswered';
        node.write(message.bytes);
      };
      const read = createMessageReader('client', (message) => {
        passing = passing.then(() => pass(message));
      });
      client.on('data', read);
      node.on('data', (answer: Buffer) => {
        if (isUnanswered) client.destroy();
        else client.write(answer);
      });
    }),
  );
  return {
    ...server,
    disturb: async (next, meanwhile) => {
      fateOf = next;
      await meanwhile();
      fateOf = undefined;
    },
    hold: async (held) => {
      const { promise: after, resolve: letGo } = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      fateOf = (statement) => {
        if (!held.test(statement)) return undefined;
        reached.resolve();
        return { after };
      };
      await reached.promise;
      return () => {
        fateOf = undefined;
        letGo();
      };
    },
  };
}

/** Returns the text of a statement that a message executes or prepares. */
function statementIn({ type, bytes }: Message): string | undefined {
  if (type === 'Q') return bytes.toString('utf8', TEXT_AT, bytes.length - 1);
  if (type !== 'P') return undefined;
  const text = bytes.indexOf(0, TEXT_AT) + 1;
  return bytes.toString('utf8', text, bytes.indexOf(0, text));
}
