/** Statuses of what is done. */
export const SUCCESS_STATUSES: readonly number[] = [200, 201];

export interface Answer {
  readonly call: string;
  /** 0 if there was none; the text says why. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly etag: string | null;
  /** Whether it repeats what was answered to an earlier request under the same Idempotency-Key. */
  readonly isReplay: boolean;
  readonly text: string;
  /** When it was asked for, by performance.now(). */
  readonly asked: number;
  readonly milliseconds: number;
}

/**
 * Sends a request, of which `call` is the method and the path.
 *
 * @param given headers, beside those that all have
 */
export async function ask(
  url: string,
  key: string,
  call: string,
  body?: object,
  given: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...given,
  };
  const asked = performance.now();
  try {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const milliseconds = performance.now() - asked;
    const told = {
      retryAfter: answer.headers.get('Retry-After'),
      etag: answer.headers.get('ETag'),
      isReplay: answer.headers.get('Idempotent-Replayed') === 'true',
    };
    return { call, status: answer.status, ...told, text, asked, milliseconds };
  } catch (error) {
    const milliseconds = performance.now() - asked;
    const told = { retryAfter: null, etag: null, isReplay: false };
    return { call, status: 0, ...told, text: String(error), asked, milliseconds };
  }
}

/** When it was answered, by performance.now(). */
export function answeredAt({ asked, milliseconds }: Answer): number {
  return asked + milliseconds;
}
