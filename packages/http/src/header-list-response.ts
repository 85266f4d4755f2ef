import {
  ServerResponse,
  validateHeaderValue,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from 'node:http';

type Value = number | string | readonly string[];

/**
 * Node's response, with its headers in the list that is written: Node itself has a dictionary of them, and to fill it costs
 * a request more than all else that is done with headers.
 */
export class HeaderListResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Names and values in turn. */
  readonly #headers: OutgoingHttpHeader[] = [];

  override setHeader(name: string, value: Value): this {
    if (this.headersSent) {
      return super.setHeader(name, value);
    }
    // Node does so again when it writes it, too late for another response.
    validateHeaderValue(name, String(value));
    const index = this.#indexOf(name);
    const kept = typeof value === 'object' ? [...value] : value;
    if (index < 0) {
      this.#headers.push(name, kept);
    } else {
      this.#headers.splice(index, 2, name, kept);
    }
    return this;
  }

  override appendHeader(name: string, value: string | readonly string[]): this {
    const index = this.#indexOf(name);
    if (index < 0 || this.headersSent) {
      return this.setHeader(name, value);
    }
    validateHeaderValue(name, String(value));
    this.#headers[index + 1] = [this.#headers[index + 1] ?? [], value].flat().map(String);
    return this;
  }

  override getHeader(name: string): OutgoingHttpHeader | undefined {
    const index = this.#indexOf(name);
    return index < 0 ? undefined : this.#headers[index + 1];
  }

  override hasHeader(name: string): boolean {
    return this.#indexOf(name) >= 0;
  }

  override removeHeader(name: string): void {
    const index = this.#indexOf(name);
    if (index >= 0) {
      this.#headers.splice(index, 2);
    }
    // It also leaves out those that Node would add by itself.
    super.removeHeader(name);
  }

  override getHeaderNames(): string[] {
    return this.#headers
      .filter((_, index) => index % 2 === 0)
      .map((name) => String(name).toLowerCase());
  }

  override getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(this.getHeaderNames().map((name) => [name, this.getHeader(name)]));
  }

  override writeHead(
    statusCode: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const given = typeof reason === 'object' ? reason : headers;
    if (typeof reason === 'string') {
      this.statusMessage = reason;
    }
    if (given === undefined || this.#headers.length === 0) {
      return super.writeHead(statusCode, given ?? this.#headers);
    }
    const list = Array.isArray(given) ? given : Object.entries(given).flat();
    for (let index = 0; index < list.length; index += 2) {
      this.removeHeader(String(list[index]));
    }
    this.#headers.push(...list.map((value) => value ?? ''));
    return super.writeHead(statusCode, this.#headers);
  }

  /** Leaves the headers to Node: Express makes a response one of its own class, which knows nothing of this one. */
  leaveHeaders(): void {
    const headers = this.#headers.splice(0);
    for (let index = 0; index < headers.length; index += 2) {
      super.setHeader(String(headers[index]), headers[index + 1] ?? '');
    }
  }

  #indexOf(name: string): number {
    for (let index = 0; index < this.#headers.length; index += 2) {
      const other = this.#headers[index];
      if (other === name || (typeof other === 'string' && isSame(other, name))) {
        return index;
      }
    }
    return -1;
  }
}

function isSame(name: string, other: string): boolean {
  return name.length === other.length && name.toLowerCase() === other.toLowerCase();
}
