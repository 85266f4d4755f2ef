import { createMessageReader, type Message } from '../../support/protocol-messages.ts';
import { startProxyServer, type ProxyServer } from '../../support/proxy-server.ts';

/** What becomes of a statement on its way to a node. */
export interface Fate {
  /** It is forwarded once this is over. */
  readonly after?: Promise<unknown>;
  /** The connection is cut before the node gets it, or once the node has begun to answer, which nobody hears of. */
  readonly cut?: 'unsent' | 'unanswered';
}

/** A way to a node on which a test decides what becomes of statements. */
export interface NodeProxy extends ProxyServer {
  /** Asked for each statement from now on; whatever follows one on its connection waits for it. */
  readonly decideBy: (choose: (statement: string) => Fate | undefined) => void;
}

const TEXT_AT = 5;

/** Stands before a node that listens on a Unix socket, which the URL names as `host`, for those that connect without TLS. */
export async function startNodeProxy(nodeUrl: string): Promise<NodeProxy> {
  let choose: ((statement: string) => Fate | undefined) | undefined;
  const server = await startProxyServer(nodeUrl, (client, node) => {
    let passing = Promise.resolve();
    let isUnanswered = false;
    const pass = async (message: Message): Promise<void> => {
      const statement = statementIn(message);
      const fate = statement === undefined ? undefined : choose?.(statement);
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
  });
  return {
    ...server,
    decideBy: (next) => {
      choose = next;
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
