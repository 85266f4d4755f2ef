import type { Socket } from 'node:net';
import { createMessageReader } from './protocol-messages.ts';
import { startProxyServer, type ProxyServer } from './proxy-server.ts';

/** Of a CancelRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const CANCEL_CODE = 80_877_102;

/** To its clients the pool has other process ids than PostgreSQL. */
const otherProcessId = (message: Buffer, offset: number): Buffer => {
  message.writeInt32BE(message.readInt32BE(offset) ^ 0x40_00_00_00, offset);
  return message;
};

/**
 * What some providers put before a PostgreSQL: sessions have no parameters but user, database and application name.
 *
 * @param code SQLSTATE of its refusal
 */
export function startProviderPool(databaseUrl: string, code: string): Promise<ProxyServer> {
  return startProxyServer(databaseUrl, (client: Socket, database: Socket) => {
    const fromClient = createMessageReader('client', ({ type, bytes }) => {
      if (type === '' && bytes.readInt32BE(4) === CANCEL_CODE) {
        database.write(otherProcessId(bytes, 8));
      } else if (
        type === '' &&
        /\0(?:options|statement_timeout)\0/.test(bytes.toString('latin1'))
      ) {
        client.end(refusal(code));
      } else {
        database.write(bytes);
      }
    });
    const fromDatabase = createMessageReader('database', ({ type, bytes }) => {
      client.write(type === 'K' ? otherProcessId(bytes, 5) : bytes);
    });
    client.on('data', fromClient);
    database.on('data', fromDatabase);
  });
}

/** An ErrorResponse. */
function refusal(code: string): Buffer {
  const fields = Buffer.from(
    `SFATAL\0VFATAL\0C${code}\0MFeature not supported: this pool does not support command-line options.\0\0`,
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
