/**
 * Attacks until its stdin ends, or whoever started it is gone: node attacker.ts NAME URL KEY. It writes a line when it
 * begins, and one with the connections that it has opened and the bytes that it has written when it ends.
 */
import { ATTACKS } from './attacks/attacks.ts';
import { countTraffic } from './traffic.ts';

const [, , name, url = '', key = ''] = process.argv;
const { hostname, port } = new URL(url);
const attack = ATTACKS.find((each) => each.name === name);
if (attack === undefined) {
  throw new Error(`no attack is called ${name}`);
}
const traffic = countTraffic();
process.stdin
  .once('end', () => {
    const { connections, bytes } = traffic();
    process.stdout.write(`${connections} ${bytes}\n`);
    process.exit();
  })
  .resume();
process.stdout.write('attacking\n');
attack.run({ host: hostname, port: Number(port), key, connections: attack.connections });
