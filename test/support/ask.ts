/** Statuses of what is done. */
export const SUCCESS_STATUSES: readonly number[] = [200, 201];

export interface Answer {
  readonly call: string;
  /** 0 if there was none; the text says why. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** When it was asked for, by performance.now(). */
  readonly asked: number;
  readonly milliseconds: number;
}

/** Sends a request, of which `call` is the method and the path. */
export async function ask(
  url: string,
  key: string,
  call: string,
  body?: object,
  idempotencyKey?: string,
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
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
    const retryAfter = answer.headers.get('Retry-After');
    return { call, status: answer.status, retryAfter, text, asked, milliseconds };
  } catch (error) {
    const milliseconds = performance.now() - asked;
    return { call, status: 0, retryAfter: null, text: String(error), asked, milliseconds };
  }
}

/** When it was answered, by performance.now(). */
export function answeredAt({ asked, milliseconds }: Answer): number {
  return asked + milliseconds;
}
