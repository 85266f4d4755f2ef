/** What became of a request of an honest client. */
export interface HonestAnswer {
  /** When it was to be sent, in milliseconds of the system's monotonic clock. */
  readonly due: number;
  /** From then on until it was answered, or given up. */
  readonly milliseconds: number;
  /** `good`; or else a status or an error, in a word. */
  readonly what: string;
  /** The animal that it was to add, with the id that was told. */
  readonly added: { readonly name: string; readonly id: string | undefined } | undefined;
}

/** One as a line of text, to be handed from process to process. */
export function answerLine({ due, milliseconds, what, added }: HonestAnswer): string {
  return [due, milliseconds, what, added?.name, added?.id].join(' ');
}

export function readAnswerLine(line: string): HonestAnswer {
  const [due, milliseconds, what = '', name, id] = line.split(' ');
  return {
    due: Number(due),
    milliseconds: Number(milliseconds),
    what,
    added: name === undefined || name === '' ? undefined : { name, id: id === '' ? undefined : id },
  };
}
