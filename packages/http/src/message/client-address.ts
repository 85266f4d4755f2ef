import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** Trusted proxies in a row: to look at all that 16 kB of headers can name takes 3 ms. */
const MAX_PROXIES = 32;

/** Tells where a request comes from; what one client can have many of is one address. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The socket's address, or, if that is a proxy's that we trust, what it says in X-Forwarded-For: the last
 * address there that is not a trusted proxy's itself, since anyone may have written those before.
 *
 * @param trustedProxies addresses, CIDR ranges, or proxy-addr's names of some
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted =
    trustedProxies.length === 0 ? undefined : proxyAddr.compile([...trustedProxies]);
  const isTrustedEntry = (entry: string, index: number): boolean =>
    index < MAX_PROXIES && isTrusted?.(withoutPort(entry), index) === true;
  return (request) => {
    const { remoteAddress = '' } = request.socket;
    const forwarded = isTrusted && withoutPort(proxyAddr(request, isTrustedEntry));
    // A trusted proxy may pass on what is no address, of any length.
    return networkOf(forwarded === undefined || isIP(forwarded) === 0 ? remoteAddress : forwarded);
  };
}

/**
 * Tells whose a connection is, by address as above; undefined for a trusted proxy's, which is many clients'.
 *
 * @param trustedProxies as above
 */
export function createPeerAddress(
  trustedProxies: readonly string[],
): (socket: Socket) => string | undefined {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return ({ remoteAddress = '' }) =>
    isTrusted(remoteAddress, 0) ? undefined : networkOf(remoteAddress);
}

/** An address as some load balancers write it: 192.0.2.1:5678, or [2001:db8::1]:5678. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: a client that has one of them has them all. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) {
    return address;
  }
  // An IPv4 address in the guise of IPv6 becomes one (RFC 5952, 5).
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    return parsed.toString();
  }
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
