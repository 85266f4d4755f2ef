import { GraphQLFloat } from 'graphql';

/*
 * Lets Float parse bigints, which JSON's integers beyond 2^53 are here, such as 1e17. Pothos puts graphql-js's own instance
 * into every schema.
 */
const { parseValue } = GraphQLFloat;

GraphQLFloat.parseValue = (value) => parseValue(typeof value === 'bigint' ? Number(value) : value);
