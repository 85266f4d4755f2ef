import { GraphQLID } from 'graphql';

/*
 * Lets ID parse and serialize bigints, as graphql-js 17 does, so that no 64-bit id passes through a double. Pothos puts
 * graphql-js's own instance into every schema, so that is the one to change.
 */
const { parseValue, serialize } = GraphQLID;

GraphQLID.parseValue = (value) => parseValue(typeof value === 'bigint' ? String(value) : value);
GraphQLID.serialize = (value) => (typeof value === 'bigint' ? String(value) : serialize(value));
