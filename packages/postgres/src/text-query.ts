import type { TextRow } from '@store-gateway/ops';
import type { Connection, OnRows, Submittable } from 'pg';
import './pg-internals.ts';

/** What is prepared, by which name. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/**
 * A prepared statement of texts. node-postgres's own query copies its configuration property by property, asks the server to
 * describe each result, and makes a parser of that: for a lone request, that costs as much as the rest of the driver.
 */
export class TextQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  /** Set by the client. */
  callback: OnRows<readonly TextRow[]> | undefined;
  readonly #values: TextRow;
  readonly #rows: TextRow[] = [];

  constructor({ name, text }: Prepared, values: TextRow) {
    this.name = name;
    this.text = text;
    this.#values = values;
  }

  submit(connection: Connection): Error | null {
    const { name, text } = this;
    const { parsedStatements, submittedNamedStatements, stream } = connection;
    const known = parsedStatements[name] ?? submittedNamedStatements[name];
    if (known !== undefined && known !== text) {
      return new Error(`another statement is prepared as ${name}`);
    }
    stream.cork();
    try {
      if (known === undefined) {
        connection.parse({ name, text, types: [] }, false);
        submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values: [...this.#values] }, false);
      connection.execute({}, false);
      connection.sync();
    } finally {
      stream.uncork();
    }
    return null;
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    // The rows are complete when the server is ready again.
  }

  handleError(error: Error): void {
    this.callback?.(error, []);
  }

  handleReadyForQuery(): void {
    this.callback?.(null, this.#rows);
  }
}

/** Whether a statement can be a TextQuery: it is kept, and its parameters need no conversion. */
export function areTexts(values: readonly unknown[]): values is TextRow {
  return values.every((value) => typeof value === 'string' || value === null);
}
