import { isJsonObject } from '@store-gateway/ops';
import { schemaFaults } from './json-schema.ts';
import { document } from './openapi.ts';

/** What is always as the example. */
const CONSTANT = new Set(['cache-control', 'deprecation', 'retry-after', 'sunset']);

/** What of a response's header is otherwise than openapi.json says. */
export function headerFaults(name: string, value: string, documented: unknown): string[] {
  const schema = isJsonObject(documented) ? documented['schema'] : undefined;
  const typed = isJsonObject(schema) && schema['type'] === 'integer' ? Number(value) : value;
  const differs =
    CONSTANT.has(name) && String(Reflect.get(Object(documented), 'example')) !== value;
  return [
    ...schemaFaults(document, schema, typed, name),
    ...(differs ? [`${name}: ${value}`] : []),
  ];
}
