import { schema } from './store.ts';
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  OperationTypeNode,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { routes } from '../../src/rest/routes.ts';

/** One thing that a client can ask of the service. */
export interface ServiceOperation {
  readonly surface: 'REST' | 'GraphQL';
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** A minimal valid document for introspection, and for each field of the schema's root types. */
export const documents: readonly string[] = [
  'query { __schema { queryType { name } } }',
  'query { __type(name: "Pet") { name } }',
  ...Object.values(OperationTypeNode).flatMap((kind) => {
    const fields = Object.values(schema.getRootType(kind)?.getFields() ?? {});
    return fields.length === 0
      ? []
      : ['__typename', ...fields.map(fieldText)].map((field) => `${kind} { ${field} }`);
  }),
];

/** All that the service can be asked, by walking the routes and the schema: nothing new is forgotten. */
export const operations: readonly ServiceOperation[] = [
  ...routes.flatMap(({ method, path }): ServiceOperation[] => {
    const address = { surface: 'REST', path: `/v1${path.replaceAll(/:\w+/g, '1')}` } as const;
    return method === 'get'
      ? [
          { ...address, method: 'GET' },
          { ...address, method: 'HEAD' },
        ]
      : [{ ...address, method: method.toUpperCase(), body: '{}' }];
  }),
  ...documents.flatMap((query): ServiceOperation[] => [
    { surface: 'GraphQL', method: 'POST', path: '/graphql', body: JSON.stringify({ query }) },
    { surface: 'GraphQL', method: 'GET', path: `/graphql?query=${encodeURIComponent(query)}` },
  ]),
];

function fieldText({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${valueText(arg.type)}`);
  const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
  return `${name}${given.length === 0 ? '' : `(${given.join(', ')})`}${selection}`;
}

function valueText(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    return '[]';
  }
  if (isInputObjectType(nullable)) {
    const members = Object.values(nullable.getFields())
      .filter(isRequiredInputField)
      .map((field) => `${field.name}: ${valueText(field.type)}`);
    return `{ ${members.join(', ')} }`;
  }
  if (isEnumType(nullable)) {
    return nullable.getValues()[0]?.name ?? '';
  }
  const { example } = nullable.extensions;
  return example === undefined
    ? ({ Int: '1', Float: '1', Boolean: 'true' }[nullable.name] ?? '"1"')
    : JSON.stringify(example);
}
