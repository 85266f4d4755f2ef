import { printSchema } from 'graphql';
import { schema } from './index.ts';

/** The schema in the schema definition language: what schema.graphql holds. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`;
}
