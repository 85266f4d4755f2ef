/** A token of JSON (RFC 8259, 2): punctuation, the quotation mark of a string with all that follows, or another value. */
const TOKEN =
  /([{}[\],:])|("(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const SPACE = /[ \t\n\r]*/y;

/** Where a text stops being JSON, both from 1; columns count UTF-16 code units. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

/** The first fault of a text; undefined if it is JSON, however deeply nested. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let awaited: Awaited = 'value';
  let at = skipSpace(text, 0);
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const [token, mark, string] = TOKEN.exec(text) ?? [];
    const next: Awaited | undefined =
      token === undefined ? undefined : after(awaited, { mark, string }, open);
    if (token === undefined || next === undefined) {
      return placeOf(text, at);
    }
    awaited = next;
    at = skipSpace(text, at + token.length);
  }
  return awaited === 'end' && open.length === 0 ? undefined : placeOf(text, at);
}

/** What may come next: `first` is a value or the end of an array, `name` one of a member, `firstName` that or the object's end. */
type Awaited = 'value' | 'first' | 'name' | 'firstName' | 'colon' | 'end';

interface Token {
  readonly mark: string | undefined;
  readonly string: string | undefined;
}

/** What may come after a token, for which `open` changes; undefined if the token may not come. */
function after(awaited: Awaited, { mark, string }: Token, open: string[]): Awaited | undefined {
  if (mark === ':') {
    return awaited === 'colon' ? 'value' : undefined;
  }
  if (awaited === 'name' || awaited === 'firstName') {
    return string === undefined ? closed(mark, awaited === 'firstName', open) : 'colon';
  }
  if (awaited === 'end') {
    if (mark === ',' && open.length > 0) {
      return open.at(-1) === '{' ? 'name' : 'value';
    }
    return closed(mark, true, open);
  }
  if (awaited === 'colon') {
    return undefined;
  }
  if (mark === '{' || mark === '[') {
    open.push(mark);
    return mark === '{' ? 'firstName' : 'first';
  }
  return mark === undefined ? 'end' : closed(mark, awaited === 'first', open);
}

/** After the mark that closes the innermost array or object, if it may. */
function closed(mark: string | undefined, mayClose: boolean, open: string[]): 'end' | undefined {
  const opening = mark === '}' ? '{' : '[';
  if (!mayClose || (mark !== '}' && mark !== ']') || open.at(-1) !== opening) {
    return undefined;
  }
  open.pop();
  return 'end';
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  return from + (SPACE.exec(text)?.[0].length ?? 0);
}

function placeOf(text: string, at: number): JsonFault {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
