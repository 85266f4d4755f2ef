import { isIP } from 'node:net';
import type { Request } from 'express';
import proxyAddr from 'proxy-addr';

/** Tells where a request comes from, as whatever one client can have many of is counted together. */
export type ClientAddress = (request: Request) => string;

/**
 * The socket's address, or, if that is a proxy's that we trust, what it says in X-Forwarded-For: the last
 * address there that is not a trusted proxy's itself, since anyone may have written those before.
 *
 * @param trustedProxies addresses, CIDR ranges, or proxy-addr's names of some
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trust = trustedProxies.length === 0 ? undefined : proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const told = trust === undefined ? '' : proxyAddr(request, trust);
    // A trusted proxy may pass on what is no address, of any length.
    return networkOf(isIP(told) === 0 ? (request.socket.remoteAddress ?? '') : told);
  };
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: whoever has one of those has all the others. */
function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) {
    return mapped ?? address;
  }
  const [front = [], back] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = back === undefined ? 0 : 8 - front.length - hextets(back);
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...(back ?? [])];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** How many 16-bit groups these are: the last 32 bits may be written as an IPv4 address. */
function hextets(groups: readonly string[]): number {
  return groups.length + (groups.at(-1)?.includes('.') ? 1 : 0);
}
