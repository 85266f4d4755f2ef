import type { Socket } from 'node:net';
import { createMessageReader, statementOf, type Message } from './protocol-messages.ts';
import { startProxyServer, type ProxyServer } from './proxy-server.ts';

/** How much of an execution still arrives: bytes; what is left out arrives whole. */
export interface Cut {
  readonly request?: number;
  /** The statement has been executed then. */
  readonly answer?: number;
}

/** The lengths of the messages of an execution, in their order: bytes. */
export interface Execution {
  /** Of the prepared statement. */
  readonly statement: string;
  /** Whether its text was sent, too. */
  readonly isFirst: boolean;
  readonly request: readonly number[];
  readonly answer: readonly number[];
}

/** A way to a database that breaks where the test wants it. */
export interface CuttingProxy extends ProxyServer {
  /** Asked for each execution, when all of it was sent, how it is cut. */
  readonly cutBy: (choose: ChooseCut) => void;
  /** Those so far that were not cut. */
  readonly executions: readonly Execution[];
}

export type ChooseCut = (execution: Pick<Execution, 'statement' | 'isFirst'>) => Cut;

/** What is sent for one execution; it ends with Sync, and its answer with ReadyForQuery. */
const OF_AN_EXECUTION = 'PBDECS';

/**
 * What is sent for an execution is forwarded when it is whole, and so is its answer: what arrives is as many bytes
 * as the test wants, however they are packed.
 */
export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const executions: Execution[] = [];
  let choose: ChooseCut | undefined;

  const server = await startProxyServer(databaseUrl, (client, database) => {
    let request: Message[] = [];
    let answer: Message[] = [];
    let awaited: (Pick<Execution, 'statement' | 'isFirst'> & { readonly cut: Cut }) | undefined;

    const readRequest = createMessageReader('client', (message) => {
      if (message.type === '' || !OF_AN_EXECUTION.includes(message.type)) {
        database.write(message.bytes);
        return;
      }
      if (request.at(-1)?.type === 'S') {
        request = [];
      }
      request.push(message);
      if (message.type === 'S') {
        const statement = request.map(statementOf).find((name) => name !== undefined) ?? '';
        const isFirst = request[0]?.type === 'P';
        const cut = choose?.({ statement, isFirst }) ?? {};
        awaited = { statement, isFirst, cut };
        send(request, cut.request, { from: client, to: database });
      }
    });
    const readAnswer = createMessageReader('database', (message) => {
      if (awaited === undefined) {
        client.write(message.bytes);
        return;
      }
      answer.push(message);
      if (message.type === 'Z') {
        const { cut, ...execution } = awaited;
        awaited = undefined;
        if (send(answer, cut.answer, { from: database, to: client })) {
          executions.push({ ...execution, request: lengths(request), answer: lengths(answer) });
        }
        answer = [];
      }
    });
    client.on('data', readRequest);
    database.on('data', readAnswer);
  });
  return {
    ...server,
    executions,
    cutBy: (next) => {
      choose = next;
    },
  };
}

/** Sends so many bytes of the messages, and if that is not all, nothing ever again; tells whether it was all. */
function send(
  messages: readonly Message[],
  count: number | undefined,
  { from, to }: { readonly from: Socket; readonly to: Socket },
): boolean {
  const whole = Buffer.concat(messages.map(({ bytes }) => bytes));
  if (count === undefined || count >= whole.length) {
    to.write(whole);
    return true;
  }
  to.end(whole.subarray(0, count));
  from.destroy();
  return false;
}

function lengths(messages: readonly Message[]): number[] {
  return messages.map(({ bytes }) => bytes.length);
}
