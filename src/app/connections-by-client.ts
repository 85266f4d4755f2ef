import type { Socket } from 'node:net';

/** The connections of one client, each kind in the order in which they became so. */
interface Client {
  readonly address: string;
  /** Also those on which nothing was asked yet. */
  readonly idle: Set<Socket>;
  /** Those with a request that is not answered yet. */
  readonly busy: Set<Socket>;
}

interface Connection {
  readonly client: Client;
  unanswered: number;
}

/** Whose connections there are, and which of them are in use. */
export interface ConnectionsByClient {
  readonly add: (socket: Socket, address: string) => void;
  readonly remove: (socket: Socket) => void;
  readonly requestBegins: (socket: Socket) => void;
  readonly requestEnds: (socket: Socket) => void;
  /**
   * The connection to close for a new one of a client (longest queue drop): of the client that has most, the one that
   * has been idle for longest; if none is, the one that has been busy for longest, unless the new one's has as many.
   */
  readonly leastWanted: (address: string | undefined) => Socket | undefined;
}

export function createConnectionsByClient(): ConnectionsByClient {
  const clients = new Map<string, Client>();
  const connections = new Map<Socket, Connection>();
  return {
    add: (socket, address) => {
      const client = clients.get(address) ?? { address, idle: new Set(), busy: new Set() };
      clients.set(address, client);
      client.idle.add(socket);
      connections.set(socket, { client, unanswered: 0 });
    },
    remove: (socket) => {
      const client = connections.get(socket)?.client;
      connections.delete(socket);
      client?.idle.delete(socket);
      client?.busy.delete(socket);
      if (client !== undefined && sizeOf(client) === 0) {
        clients.delete(client.address);
      }
    },
    requestBegins: (socket) => {
      const connection = connections.get(socket);
      if (connection !== undefined) {
        connection.unanswered += 1;
        connection.client.idle.delete(socket);
        connection.client.busy.add(socket);
      }
    },
    requestEnds: (socket) => {
      const connection = connections.get(socket);
      if (connection !== undefined) {
        connection.unanswered -= 1;
        if (connection.unanswered === 0) {
          connection.client.busy.delete(socket);
          connection.client.idle.add(socket);
        }
      }
    },
    leastWanted: (address) => {
      let most: Client | undefined;
      for (const client of clients.values()) {
        if (most === undefined || hasMore(client, most)) {
          most = client;
        }
      }
      if (most === undefined) {
        return undefined;
      }
      const [longestIdle] = most.idle;
      const [longestBusy] = most.busy;
      const own = address === undefined ? undefined : clients.get(address);
      const ownSize = own === undefined ? 0 : sizeOf(own);
      return longestIdle ?? (ownSize < sizeOf(most) ? longestBusy : undefined);
    },
  };
}

function sizeOf({ idle, busy }: Client): number {
  return idle.size + busy.size;
}

/** Whether a client has more connections than another, or as many and some of them idle. */
function hasMore(client: Client, other: Client): boolean {
  const difference = sizeOf(client) - sizeOf(other);
  return difference === 0 ? client.idle.size > 0 && other.idle.size === 0 : difference > 0;
}
