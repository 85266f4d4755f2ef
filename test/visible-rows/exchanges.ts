import { memberAt, objectsIn } from '../support/json-members.ts';
import type { Exchange } from './requests.ts';

/** Everything in an answer that a client can compare. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Headers that differ between any two answers. */
const IGNORED = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);

/** Sends callers' requests. */
export class Exchanges {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(caller: string, { path, headers, ...init }: Exchange): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      ...init,
      headers: { ...headers, Authorization: `Bearer ${caller}` },
    });
    const text = await response.text();
    const compared = [...response.headers].filter(([name]) => !IGNORED.has(name));
    return { status: response.status, headers: Object.fromEntries(compared), text: sorted(text) };
  }
}

/** Sorts the errors of a response: which of several fields fails first is undetermined. */
function sorted(text: string): string {
  if (!text.startsWith('{"errors":[')) {
    return text;
  }
  const json: unknown = JSON.parse(text);
  const errors = objectsIn(memberAt(json, 'errors')).map((error) => JSON.stringify(error));
  return `{"errors":[${errors.toSorted().join(',')}],"data":${JSON.stringify(memberAt(json, 'data'))}}`;
}

/** Values of answers that a client may send back. */
export class Remembered {
  readonly #values = {
    cursor: new Set<string>(),
    version: new Set<string>(),
    etag: new Set<string>(),
  };

  add({ headers: { etag, link = '' }, text }: Answer): void {
    const { cursor, version, etag: etags } = this.#values;
    if (etag !== undefined) {
      etags.add(etag);
    }
    for (const [, value = ''] of text.matchAll(/"version":"([^"]*)"/g)) {
      version.add(value);
    }
    for (const [, value = ''] of text.matchAll(/"(?:cursor|startCursor|endCursor)":"([^"]*)"/g)) {
      cursor.add(value);
    }
    for (const [, value = ''] of link.matchAll(/[?&]after=([^&>]*)/g)) {
      cursor.add(value);
    }
  }

  /** The exchange with values in place of its placeholders; with `none` if there is no such value yet. */
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
    return text.replaceAll(
      /\{\{(cursor|version|etag):(\d+)\}\}/g,
      (_all, name: string, number: string) => {
        const kind = name === 'cursor' || name === 'version' ? name : 'etag';
        const values = [...this.#values[kind]];
        return values[Number(number) % values.length] ?? (kind === 'etag' ? '"none"' : 'none');
      },
    );
  }
}
