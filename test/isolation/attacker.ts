/**
 * Attacks until it is killed, or whoever started it is gone: node attacker.ts NAME URL KEY. It writes a line when it
 * begins.
 */
import { ATTACKS } from './attacks/attacks.ts';

const [, , name, url = '', key = ''] = process.argv;
const { hostname, port } = new URL(url);
const attack = ATTACKS.find((each) => each.name === name);
if (attack === undefined) {
  throw new Error(`no attack is called ${name}`);
}
process.stdin.once('end', () => process.exit()).resume();
process.stdout.write('attacking\n');
attack.run({ host: hostname, port: Number(port), key });
