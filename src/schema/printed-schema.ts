import { printSchema } from 'graphql';
import { schema } from './index.ts';

/** The schema in the schema definition language, as in schema.graphql. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`;
}
