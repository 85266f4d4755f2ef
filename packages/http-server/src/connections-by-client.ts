import type { Socket } from 'node:net';

interface Client {
  readonly address: string;
  readonly connections: Set<Connection>;
  /** How many of them are idle. */
  idle: number;
}

interface Connection {
  readonly socket: Socket;
  readonly client: Client;
  /** Requests that are not answered yet; idle without any, also before the first. */
  unanswered: number;
  /** Orders connections by when they became idle, or busy. */
  since: number;
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

/** Each request counts only; who has been idle for longest is searched for when a connection has to go. */
export function createConnectionsByClient(): ConnectionsByClient {
  const clients = new Map<string, Client>();
  const connections = new Map<Socket, Connection>();
  let changes = 0;

  const change = (connection: Connection, idle: -1 | 1): void => {
    changes += 1;
    connection.since = changes;
    connection.client.idle += idle;
  };

  return {
    add: (socket, address) => {
      const client = clients.get(address) ?? { address, connections: new Set(), idle: 0 };
      clients.set(address, client);
      const connection = { socket, client, unanswered: 0, since: 0 };
      client.connections.add(connection);
      connections.set(socket, connection);
      change(connection, 1);
    },
    remove: (socket) => {
      const connection = connections.get(socket);
      if (connection === undefined) {
        return;
      }
      const { client } = connection;
      connections.delete(socket);
      client.connections.delete(connection);
      client.idle -= connection.unanswered === 0 ? 1 : 0;
      if (client.connections.size === 0) {
        clients.delete(client.address);
      }
    },
    requestBegins: (socket) => {
      const connection = connections.get(socket);
      if (connection !== undefined) {
        connection.unanswered += 1;
        if (connection.unanswered === 1) {
          change(connection, -1);
        }
      }
    },
    requestEnds: (socket) => {
      const connection = connections.get(socket);
      if (connection !== undefined) {
        connection.unanswered -= 1;
        if (connection.unanswered === 0) {
          change(connection, 1);
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
      const own = address === undefined ? undefined : clients.get(address);
      if (most === undefined || (most.idle === 0 && sizeOf(own) >= sizeOf(most))) {
        return undefined;
      }
      return longestUnchanged(most)?.socket;
    },
  };
}

/** Of the idle connections of a client, or of all if none is. */
function longestUnchanged({ connections, idle }: Client): Connection | undefined {
  let longest: Connection | undefined;
  for (const connection of connections) {
    const counts = idle === 0 || connection.unanswered === 0;
    if (counts && (longest === undefined || connection.since < longest.since)) {
      longest = connection;
    }
  }
  return longest;
}

function sizeOf(client: Client | undefined): number {
  return client?.connections.size ?? 0;
}

/** Whether a client has more connections than another, or as many and some of them idle. */
function hasMore(client: Client, other: Client): boolean {
  const difference = sizeOf(client) - sizeOf(other);
  return difference === 0 ? client.idle > 0 && other.idle === 0 : difference > 0;
}
