import { GraphQLFloat, GraphQLID } from 'graphql';

/*
 * Lets ID parse and serialize bigints, as graphql-js 17 does, so that no 64-bit id passes through a double; and lets Float
 * parse them, which JSON's integers beyond 2^53 are here, such as 1e17. Pothos puts graphql-js's own instances into every
 * schema, so these are the ones to change.
 */
const { parseValue, serialize } = GraphQLID;
GraphQLID.parseValue = (value) => parseValue(typeof value === 'bigint' ? String(value) : value);
GraphQLID.serialize = (value) => (typeof value === 'bigint' ? String(value) : serialize(value));

const { parseValue: parseFloat } = GraphQLFloat;
GraphQLFloat.parseValue = (value) => parseFloat(typeof value === 'bigint' ? Number(value) : value);
