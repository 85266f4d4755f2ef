import { integer, type Arbitrary } from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10_ffff;

/** Any character, but no half of a pair: fast-check's own unit "binary", which costs a second to create. */
export const anyCharacter: Arbitrary<string> = integer({
  min: 0,
  max: LAST - SURROGATES.count,
}).map((number) =>
  String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count),
);
