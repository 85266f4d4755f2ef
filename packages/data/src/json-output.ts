const [QUOTE, COMMA, BACKSLASH, BRACKET] = [0x22, 0x2c, 0x5c, 0x5d];
const LARGEST_BYTE = 0xff;

/**
 * JSON that is put together of pieces of texts. They are copied character by character: strings added to each other would be a
 * rope, and to flatten that takes longer.
 */
export class JsonOutput {
  readonly #units: Uint8Array | Uint16Array;
  #length = 0;
  /** The bits of all characters. */
  #bits = 0;

  constructor(units: Uint8Array | Uint16Array) {
    this.#units = units;
  }

  /** Whether it has characters that its units have no room for. */
  get isLossy(): boolean {
    return this.#bits > LARGEST_BYTE && this.#units.BYTES_PER_ELEMENT === 1;
  }

  /** A whole text. */
  put(text: string): void {
    this.#copy(text, 0, text.length);
  }

  /** An integer that ends at a comma, or with the text; null if it is empty. @returns where the next one begins */
  putInteger(list: string, start: number, quote: string): number {
    let end = start;
    while (end < list.length && list.charCodeAt(end) !== COMMA) {
      end += 1;
    }
    if (end === start) {
      this.put('null');
    } else {
      this.put(quote);
      this.#copy(list, start, end);
      this.put(quote);
    }
    return end + 1;
  }

  /** A scalar of an array as `json_agg` writes it. @returns where the next one begins */
  putElement(list: string, start: number): number {
    let end = start;
    if (list.charCodeAt(end) === QUOTE) {
      for (end += 1; list.charCodeAt(end) !== QUOTE; end += 1) {
        if (list.charCodeAt(end) === BACKSLASH) {
          end += 1;
        }
      }
      end += 1;
    } else {
      for (let code = list.charCodeAt(end); code !== COMMA && code !== BRACKET;) {
        end += 1;
        code = list.charCodeAt(end);
      }
    }
    this.#copy(list, start, end);
    return end + ', '.length;
  }

  toString(): string {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.#units;
    return Buffer.from(buffer, byteOffset, this.#length * BYTES_PER_ELEMENT).toString(
      BYTES_PER_ELEMENT === 1 ? 'latin1' : 'utf16le',
    );
  }

  #copy(text: string, start: number, end: number): void {
    const units = this.#units;
    let length = this.#length;
    let bits = this.#bits;
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index);
      units[length] = code;
      bits |= code;
      length += 1;
    }
    this.#length = length;
    this.#bits = bits;
  }
}
