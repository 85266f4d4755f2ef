/**
 * The path that a request asks for. Its target may have a query behind it, which may have anything in it, and
 * the address of a server before it: what proxies are asked in (RFC 9112, 3.2.2), and servers have to take.
 */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '');
}
