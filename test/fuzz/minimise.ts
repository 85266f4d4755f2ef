import type { Exchange } from './exchange.ts';

/** Milliseconds that it is worth to make a finding shorter. */
const TIME_LIMIT = 20_000;

/**
 * The shortest exchange that is found to go as wrong: pieces are left out, larger ones first, as long as it still
 * does.
 *
 * @param isFaulty tries an exchange
 */
export async function minimise(
  exchange: Exchange,
  isFaulty: (candidate: Exchange) => Promise<boolean>,
): Promise<Exchange> {
  const giveUp = performance.now() + TIME_LIMIT;
  // Of what is cut short nobody knows any more what is to be answered.
  const whole = { ...exchange, methods: undefined };
  const inOnePiece = { ...whole, cuts: [] };
  let shortest: Exchange = (await isFaulty(inOnePiece)) ? inOnePiece : whole;
  if (shortest === whole && !(await isFaulty(whole))) {
    return exchange;
  }
  for (let size = shortest.bytes.length >> 1; size > 0 && performance.now() < giveUp;) {
    let isShorter = false;
    for (let at = 0; at < shortest.bytes.length && performance.now() < giveUp;) {
      const { bytes, cuts } = shortest;
      const candidate = {
        ...shortest,
        bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]),
        cuts: cuts.filter((cut) => cut < bytes.length - size),
      };
      if (await isFaulty(candidate)) {
        shortest = candidate;
        isShorter = true;
      } else {
        at += size;
      }
    }
    size = isShorter ? Math.min(size, shortest.bytes.length >> 1) : size >> 1;
  }
  return shortest;
}
