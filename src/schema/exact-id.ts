import { GraphQLID } from 'graphql';

/*
 * Lets ID take and give bigints, as graphql-js 17 does and 16 refuses to, so that no 64-bit id passes through a
 * double on its way. It has to be done to graphql-js's own instance, because that is the one that Pothos
 * puts into every schema.
 */
const { parseValue, serialize } = GraphQLID;

GraphQLID.parseValue = (value) => parseValue(typeof value === 'bigint' ? String(value) : value);
GraphQLID.serialize = (value) => (typeof value === 'bigint' ? digitsOf(value) : serialize(value));

/** A double is written faster; one that isn't safe may stand for another integer. */
function digitsOf(value: bigint): string {
  const double = Number(value);
  return String(Number.isSafeInteger(double) ? double : value);
}
