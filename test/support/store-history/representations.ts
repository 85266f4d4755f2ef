import type { Answer } from '../ask.ts';

interface Sent {
  readonly call: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What entity tags stand for, which is one text for each tag of an address. */
export interface Representations {
  /**
   * Notes the tag of an answer, and puts into one that says that nothing has changed what the tag stands for, as if it were
   * sent again. Undefined if the tag stands for something else, or for nothing.
   */
  readonly complete: (request: Sent, answer: Answer) => Answer | undefined;
  /** What a GET of an address was last answered with. */
  readonly newest: (call: string) => Representation | undefined;
}

export interface Representation {
  readonly tag: string;
  readonly text: string;
}

export function createRepresentations(): Representations {
  const texts = new Map<string, string>();
  const newest = new Map<string, Representation>();
  return {
    complete: ({ call, headers }, answer) => {
      const { status, etag: tag, text } = answer;
      if (status === 304) {
        const known = texts.get(`${call} ${headers?.['If-None-Match'] ?? ''}`);
        return known === undefined ? undefined : { ...answer, text: known };
      }
      if (tag === null) {
        return answer;
      }
      // The answer to a change is what a GET has from then on.
      const address = call.replace('PATCH', 'GET');
      const name = `${address} ${tag}`;
      const known = texts.get(name) ?? text;
      texts.set(name, known);
      newest.set(address, { tag, text });
      return known === text ? answer : undefined;
    },
    newest: (call) => newest.get(call),
  };
}
