import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { RawConnection } from './raw-connection.ts';

/** Sends packets on a connection, then closes the client's side; resolves to whether the server has reset it. */
export async function isResetBySending(
  { socket, send }: RawConnection,
  packet: string,
): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
  for (let packets = 0; packets < 5; packets += 1) {
    send(packet);
    // The server runs in this process: it reads them one by one.
    await turnOfLoop();
    await turnOfLoop();
  }
  socket.end();
  return closed;
}
