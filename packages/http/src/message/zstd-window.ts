/** What a frame of zstd has where (RFC 8878, 3.1.1). */
const MAGIC = 0xfd2fb528;
const DESCRIPTOR_AT = 4;
const WINDOW_AT = 5;

/** In the descriptor, for a frame that declares no window but the size of its content, which is its window. */
const SINGLE_SEGMENT = 0x20;

/** A window of 8 MiB, the largest there may be in HTTP (RFC 9659, 3). */
const LARGEST = 13 << 3;

/** The logarithm of a window that any body of ours fits into, 128 KiB. */
export const WINDOW_LOG = 17;
const SMALL = (WINDOW_LOG - 10) << 3;

/**
 * The same body with a window of at most 128 KiB. The decoder allocates what is declared, so that 33 bytes, many times, force
 * full collections of garbage. Nothing in a body refers farther back than that is long: the smaller window decodes it, too.
 *
 * @throws RangeError if it declares more than 8 MiB
 */
export function withSmallWindow(body: Buffer): Buffer {
  const window = body[WINDOW_AT] ?? 0;
  const isSingle = ((body[DESCRIPTOR_AT] ?? 0) & SINGLE_SEGMENT) !== 0;
  if (window <= SMALL || isSingle || body.readUInt32LE(0) !== MAGIC) {
    return body;
  }
  if (window > LARGEST) {
    throw new RangeError('the window is larger than 8 MiB');
  }
  const copy = Buffer.from(body);
  copy[WINDOW_AT] = SMALL;
  return copy;
}
