import {
  componentOf,
  inWords,
  isNullable,
  listOf,
  nodeOf,
  textOf,
  type Node,
  type OpenApi,
} from './openapi.ts';

/** A member of an object's schema. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  /** The schema as it is in the document, which may be a reference. */
  readonly schema: unknown;
}

/** The name of the component that a schema or its items refer to; undefined if there is none. */
export function schemaComponentOf(schema: unknown): string | undefined {
  return componentOf(schema) ?? componentOf(nodeOf(schema)['items']);
}

/** The members of an object, or of the objects in an array. */
export function membersOf({ resolve }: OpenApi, schema: unknown): Member[] {
  const whole = resolve(schema);
  const { required, properties } = whole['items'] === undefined ? whole : resolve(whole['items']);
  return Object.entries(nodeOf(properties)).map(([name, property]) => ({
    name,
    required: listOf(required).includes(name),
    description: textOf(resolve(property)['description']),
    deprecated: resolve(property)['deprecated'] === true,
    schema: property,
  }));
}

export function valuesOf({ resolve }: OpenApi, schema: unknown): readonly string[] {
  return listOf(resolve(schema)['enum']).map(String);
}

/** The meanings of an enum's values, from Redocly's extension. */
export function meaningsOf({ resolve }: OpenApi, schema: unknown): ReadonlyMap<string, string> {
  const meanings = Object.entries(nodeOf(resolve(schema)['x-enumDescriptions']));
  return new Map(meanings.map(([value, meaning]) => [value, textOf(meaning)]));
}

/** A schema's type and constraints, in words: "integer (int64)", "1 to 100", "default 20". */
export function factsOf(openApi: OpenApi, schema: unknown): string[] {
  const node = openApi.resolve(schema);
  const values = valuesOf(openApi, schema);
  return [
    typeOf(node),
    ...range(node, 'minimum', 'maximum'),
    ...range(node, 'minLength', 'maxLength').map((length) => `${length} characters`),
    ...range(node, 'minItems', 'maxItems').map((items) => `${items} items`),
    ...(values.length > 0 && values.length <= 5 ? [values.join(' | ')] : []),
    ...(isNullable(schema) ? ['or null'] : []),
    ...(node['default'] === undefined ? [] : [`default ${inWords(node['default'])}`]),
  ].filter((fact) => fact !== '');
}

function typeOf(node: Node): string {
  const items = componentOf(node['items']);
  const type = items === undefined ? textOf(node['type']) : `array of ${items}`;
  return typeof node['format'] === 'string' ? `${type} (${node['format']})` : type;
}

function range(node: Node, from: string, to: string): string[] {
  const [least, most] = [node[from], node[to]];
  if (least === undefined && most === undefined) {
    return [];
  }
  if (most === undefined) {
    return [`at least ${inWords(least)}`];
  }
  return [
    least === undefined ? `at most ${inWords(most)}` : `${inWords(least)} to ${inWords(most)}`,
  ];
}
