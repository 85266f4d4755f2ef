const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL leads to this machine, where nobody listens in on plain HTTP. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}
