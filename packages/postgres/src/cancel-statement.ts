import { Client, type ClientConfig } from 'pg';

/**
 * Asks the server to cancel the statement of a session, as libpq's PQcancel does: on a connection of its own, which needs
 * no login and no slot (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS).
 * Whether it helped shows in the session alone.
 *
 * @param config of the session
 */
export function cancelStatement(
  { processID, secretKey }: Pick<Client, 'processID' | 'secretKey'>,
  config: ClientConfig,
): void {
  if (processID === null || secretKey === null) {
    return;
  }
  const messenger = new Client(config);
  const { connection } = messenger;
  connection.startup = () => {
    connection.cancel(processID, secretKey);
  };
  messenger.on('error', () => undefined);
  // The server closes the connection once it has passed the request on, which pg takes for a failure to connect.
  messenger.connect(() => undefined);
  messenger.unref();
}
