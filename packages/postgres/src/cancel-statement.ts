import { Client, type ClientConfig } from 'pg';

const CANCEL_REQUEST_LENGTH = 16;
const CANCEL_REQUEST_CODE = 80_877_102;

/**
 * Asks the server to cancel the statement of a session, as libpq's PQcancel does: on a connection of its own, which needs
 * no login and no room among the server's connections
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS). Whether that has helped
 * shows in the session alone.
 *
 * @param config what the session was made with
 */
export function cancelStatement(
  { processID, secretKey }: Pick<Client, 'processID' | 'secretKey'>,
  config: ClientConfig | undefined,
): void {
  if (processID === null || secretKey === null) {
    return;
  }
  const messenger = new Client(config);
  messenger.connection.startup = () => {
    const request = Buffer.alloc(CANCEL_REQUEST_LENGTH);
    [CANCEL_REQUEST_LENGTH, CANCEL_REQUEST_CODE, processID, secretKey].forEach((value, index) => {
      request.writeInt32BE(value, index * 4);
    });
    messenger.connection.stream.write(request);
  };
  messenger.on('error', () => undefined);
  // The server closes the connection when it has passed the request on, which pg takes for a failure to connect.
  messenger.connect(() => undefined);
  messenger.unref();
}
