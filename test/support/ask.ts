/** The statuses of successful calls. */
export const SUCCESS_STATUSES: readonly number[] = [200, 201];

export interface Answer {
  readonly call: string;
  /** 0 if there was no response; the text then says why. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly etag: string | null;
  /** Whether the response is a replay of an earlier one under the same Idempotency-Key. */
  readonly isReplay: boolean;
  readonly text: string;
  /** When the request was sent, by performance.now(). */
  readonly asked: number;
  readonly milliseconds: number;
}

/** Sends a request; `call` is its method and path. @param given headers in addition to the standard ones */
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

/** Returns when the response arrived, by performance.now(). */
export function answeredAt({ asked, milliseconds }: Answer): number {
  return asked + milliseconds;
}
