import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** Maximum number of trusted proxies in a row. Checking as many as fit into 16 kB of headers would take 3 ms. */
const MAX_PROXIES = 32;

/**
 * Returns the address that a request comes from. All IPv6 addresses in a /64 network count as one, because one client can have
 * all of them.
 */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Returns a function that determines the client's address: the socket's or, if that is a trusted proxy's, the last address in
 * X-Forwarded-For that isn't a trusted proxy's. The addresses before that one can't be trusted, because the client may have sent
 * them.
 *
 * @param trustedProxies addresses, CIDR ranges, or proxy-addr's names for ranges
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted =
    trustedProxies.length === 0 ? undefined : proxyAddr.compile([...trustedProxies]);
  const isTrustedEntry = (entry: string, index: number): boolean =>
    index < MAX_PROXIES && isTrusted?.(withoutPort(entry), index) === true;
  return (request) => {
    const { remoteAddress = '' } = request.socket;
    const forwarded = isTrusted && withoutPort(proxyAddr(request, isTrustedEntry));
    // A trusted proxy may forward any text instead of an address.
    return networkOf(forwarded === undefined || isIP(forwarded) === 0 ? remoteAddress : forwarded);
  };
}

/**
 * Like `createClientAddress`, but for a connection. The address is undefined for a trusted proxy, which many clients share.
 *
 * @param trustedProxies addresses, CIDR ranges, or proxy-addr's names for ranges
 */
export function createPeerAddress(
  trustedProxies: readonly string[],
): (socket: Socket) => string | undefined {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return ({ remoteAddress = '' }) =>
    isTrusted(remoteAddress, 0) ? undefined : networkOf(remoteAddress);
}

/** Removes the port that some load balancers add to an address: 192.0.2.1:5678, or [2001:db8::1]:5678. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}

/**
 * Returns an IPv4 address, or the first 64 bits of an IPv6 address, because a client with one address in that network has all of
 * its addresses.
 */
function networkOf(address: string): string {
  if (isIP(address) !== 6) {
    return address;
  }
  // An IPv4-mapped IPv6 address becomes an IPv4 address (RFC 5952, 5).
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    return parsed.toString();
  }
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
