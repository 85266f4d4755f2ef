/** How processes on one port get their connections. */
export const WAYS = {
  supervisor: 'the supervisor accepts, and hands over in turn (node:cluster)',
  shared: 'the workers accept from one socket (this gateway)',
  own: 'each worker has a socket of its own (SO_REUSEPORT)',
} as const;

export type Way = keyof typeof WAYS;

export function isWay(name: string): name is Way {
  return name in WAYS;
}
