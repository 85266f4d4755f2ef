import { keptForFile } from '../../support/clean-up.ts';
import {
  createMessageReader,
  type Message,
  startProxyServer,
  type ProxyServer,
} from '../../support/database-proxy.ts';

/** What becomes of a statement on its way to a node. */
export interface Fate {
  /** It is forwarded after this. */
  readonly after?: Promise<unknown>;
  /** The connection is cut before the node gets it, or when the node begins to answer, of which nothing is forwarded. */
  readonly cut?: 'unsent' | 'unanswered';
}

/** A way to a node on which a test decides what becomes of statements. */
export interface NodeProxy extends ProxyServer {
  /** Decides on each statement until `meanwhile` resolves. What follows a statement on its connection waits for it. */
  readonly disturb: (fateOf: FateOf, meanwhile: () => Promise<unknown>) => Promise<void>;
  /** Holds matching statements. Resolves when one is held. @returns forwards them */
  readonly hold: (statement: RegExp) => Promise<() => void>;
}

type FateOf = (statement: string) => Fate | undefined;

const TEXT_AT = 5;

/** Stands before a node that listens on a Unix socket, which the URL names as `host`, for clients without TLS, until the tests of the file are over. */
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

/** The text of a statement that is sent to be executed, or to be prepared. */
function statementIn({ type, bytes }: Message): string | undefined {
  if (type === 'Q') return bytes.toString('utf8', TEXT_AT, bytes.length - 1);
  if (type !== 'P') return undefined;
  const text = bytes.indexOf(0, TEXT_AT) + 1;
  return bytes.toString('utf8', text, bytes.indexOf(0, text));
}
