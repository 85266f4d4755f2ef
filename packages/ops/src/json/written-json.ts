/** JSON within a result that is written already. */
export class WrittenJson {
  /** The JSON. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For whoever writes the result by JSON.stringify, numbers digit by digit. */
  toJSON(): unknown {
    return JSON.parse(this.text, (_name, value: unknown, { source = '' } = {}) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value,
    );
  }
}
