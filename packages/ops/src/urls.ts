const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL is on this machine, where nobody can eavesdrop on plain HTTP. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** The path of a request's target, without the query, or the origin of absolute form (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/(?:\[[^\]]*\])?[^/[]*/i, '');
}

/** The query of a request's target, with its question mark; empty if it has none. */
export function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start);
}
