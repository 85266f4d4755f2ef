/** A content coding that is offered. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest result first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const satisfies readonly Encoding[];

/** Below the smallest weight, 0.001: no coding is acceptable unless it is excluded, and preferred only if asked for. */
const UNLISTED_IDENTITY = 0.0001;

const MEMBER = /^([^\s;]+)(?:\s*;\s*q=([\d.]+))?$/i;

/**
 * The coding that an Accept-Encoding header prefers (RFC 9110, 12.5.3), and of equal ones that with the smallest result:
 * Express would take the one named first, which in browsers is gzip.
 */
export function preferredEncoding(accepted = ''): Encoding {
  const weights = new Map(
    accepted.split(',').map((member) => {
      const [, coding = '', weight = '1'] = MEMBER.exec(member.trim()) ?? [];
      return [coding.toLowerCase(), Number(weight)];
    }),
  );
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? UNLISTED_IDENTITY : 0);
  const [preferred = 'identity'] = ENCODINGS.filter((encoding) => weightOf(encoding) > 0).toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  );
  return preferred;
}
