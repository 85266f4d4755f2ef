import { isIPv4, type Socket } from 'node:net';
import { log } from '@store-gateway/ops';

/**
 * Warns of a connection to another machine that isn't encrypted: anybody on its way can read it.
 *
 * @param stream as the client uses it: the socket, or TLS above it
 */
export function warnOfPlaintext(socket: Pick<Socket, 'remoteAddress'>, stream: object): void {
  const { remoteAddress: address } = socket;
  if (address !== undefined && !isLoopback(address) && !('encrypted' in stream)) {
    log.warn(
      { address },
      'the connection to the database is not encrypted: set sslmode=verify-full in its URL',
    );
  }
}

function isLoopback(address: string): boolean {
  const mapped = address.replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped.startsWith('127.') : address === '::1';
}
