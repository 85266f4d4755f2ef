/**
 * Attacks until its stdin ends: node attacker.ts NAME URL KEY. It writes a line when it begins and, when it ends, one with
 * the numbers of connections that it has opened and of bytes that it has written.
 */
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { ATTACKS } from './attacks/attacks.ts';

const [, , name, url = '', key = ''] = process.argv;
const { hostname, port } = new URL(url);
const attack = ATTACKS.find((each) => each.name === name);
if (attack === undefined) {
  throw new Error(`no attack is called ${name}`);
}
let connections = 0;
let closedBytes = 0;
const open = new Set<Socket>();
subscribe('net.client.socket', (message) => {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  const { socket } = message;
  if (!(socket instanceof Socket)) return;
  socket.once('connect', () => {
    connections += 1;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closedBytes += socket.bytesWritten;
    });
  });
});
process.stdin
  .once('end', () => {
    const bytes = [...open].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes);
    process.stdout.write(`${connections} ${bytes}\n`);
    process.exit();
  })
  .resume();
process.stdout.write('attacking\n');
attack.run({ host: hostname, port: Number(port), key, connections: attack.connections });
