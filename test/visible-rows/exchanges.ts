import { memberAt, objectsIn } from '../support/json-members.ts';
import type { Exchange } from './steps.ts';

/** Everything of an answer that a client can tell from another one. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Differ between any two answers. */
const OF_NO_ACCOUNT = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);

/** Sends requests as callers do, and remembers what answers have had that later requests may use. */
export class Exchanges {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(caller: string, { method, path, headers, body }: Exchange): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...headers, Authorization: `Bearer ${caller}` },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const told = [...response.headers].filter(([name]) => !OF_NO_ACCOUNT.has(name));
    return { status: response.status, headers: Object.fromEntries(told), text: inOrder(text) };
  }
}

/** The same with its errors in one order: which of several fields fails first is chance. */
function inOrder(text: string): string {
  if (!text.startsWith('{"errors":[')) {
    return text;
  }
  const json: unknown = JSON.parse(text);
  const errors = objectsIn(memberAt(json, 'errors')).map((error) => JSON.stringify(error));
  return `{"errors":[${errors.toSorted().join(',')}],"data":${JSON.stringify(memberAt(json, 'data'))}}`;
}

/** What answers have had that a client may send back. */
export class Remembered {
  readonly #values: Record<string, Set<string>> = {
    cursor: new Set(),
    version: new Set(),
    etag: new Set(),
  };

  add({ headers: { etag, link = '' }, text }: Answer): void {
    if (etag !== undefined) {
      this.#values['etag']?.add(etag);
    }
    for (const [, name = '', value = ''] of text.matchAll(
      /"(cursor|startCursor|endCursor|version)":"([^"]*)"/g,
    )) {
      this.#values[name === 'version' ? name : 'cursor']?.add(value);
    }
    for (const [, value = ''] of link.matchAll(/[?&]after=([^&>]*)/g)) {
      this.#values['cursor']?.add(value);
    }
  }

  /** The exchange with the values that its placeholders stand for; with `none` for what there isn't yet. */
  resolve({ path, headers, body, ...rest }: Exchange): Exchange {
    return {
      ...rest,
      path: this.#in(path),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#in(value)]),
      ),
      ...(body !== undefined && { body: this.#in(body) }),
    };
  }

  #in(text: string): string {
    return text.replaceAll(/\{\{(\w+):(\d+)\}\}/g, (_all, name: string, number: string) => {
      const values = [...(this.#values[name] ?? [])];
      return values[Number(number) % values.length] ?? (name === 'etag' ? '"none"' : 'none');
    });
  }
}
