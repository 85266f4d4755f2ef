import {
  getNullableType,
  getOperationAST,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import type { Json, JsonObject } from '@gateway/exact-json/json';
import type { Operation } from '../operation.ts';
import { exampleObject, exampleOf } from './examples.ts';
import { addSchema, leafSchema, type Schemas } from './schemas.ts';

/** The schema of what a route answers with: the members that its document asks for. */
export function resourceSchema(operation: Operation, schemas: Schemas): JsonObject {
  const root = rootOf(operation);
  const nodes = pageNodes(root);
  return nodes === undefined
    ? outputSchema(root, operation.field.type, schemas)
    : outputSchema(nodes, memberOf(operation.field.type, nodes).type, schemas);
}

/** An example of what a route answers with. */
export function resourceExample(operation: Operation): Json {
  const root = rootOf(operation);
  const nodes = pageNodes(root);
  const example = exampleObject(fieldsOf(nodes ?? root).map(keyOf));
  return nodes === undefined ? example : [example];
}

/** Whether a route answers with a page of a list (packages/pothos-rest/src/page.ts). */
export function isPaged(operation: Operation): boolean {
  return pageNodes(rootOf(operation)) !== undefined;
}

function rootOf({ name, document }: Operation): FieldNode {
  const [root] = fieldsOf(getOperationAST(document) ?? {});
  if (root === undefined) {
    throw new Error(`OpenAPI: ${name} asks for nothing`);
  }
  return root;
}

function pageNodes(field: FieldNode): FieldNode | undefined {
  const members = fieldsOf(field);
  const named = (wanted: string) => members.find(({ name }) => name.value === wanted);
  return named('pageInfo') && named('nodes');
}

function outputSchema(node: FieldNode, type: GraphQLOutputType, schemas: Schemas): JsonObject {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item: GraphQLOutputType = nullable.ofType;
    const name = String(getNullableType(item));
    return addSchema(schemas, `${name}s`, {
      type: 'array',
      description: `A list of ${name}.`,
      items: outputSchema(node, item, schemas),
    });
  }
  if (isLeafType(nullable)) {
    return leafSchema(nullable, schemas);
  }
  if (!isObjectType(nullable)) {
    throw new Error(`OpenAPI: REST has no way to tell a ${nullable.name}`);
  }
  return objectSchema(node, nullable, schemas);
}

function objectSchema(node: FieldNode, type: GraphQLObjectType, schemas: Schemas): JsonObject {
  const members = fieldsOf(node).map((member) => ({
    key: keyOf(member),
    member,
    field: memberOf(type, member),
  }));
  return addSchema(schemas, type.name, {
    type: 'object',
    description: type.description ?? '',
    required: members.map(({ key }) => key),
    properties: Object.fromEntries(
      members.map(({ key, member, field }) => {
        const schema = outputSchema(member, field.type, schemas);
        return [
          key,
          {
            ...(isNonNullType(field.type) ? schema : { anyOf: [schema, { type: 'null' }] }),
            description: field.description ?? '',
            examples: [exampleOf(key)],
          },
        ];
      }),
    ),
  });
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

function memberOf(type: GraphQLOutputType, { name }: FieldNode) {
  const object = getNullableType(type);
  const field = isObjectType(object) ? object.getFields()[name.value] : undefined;
  if (field === undefined) {
    throw new Error(`OpenAPI: ${String(type)} has no field ${name.value}`);
  }
  return field;
}

function fieldsOf({ selectionSet }: { readonly selectionSet?: SelectionSetNode }): FieldNode[] {
  return (selectionSet?.selections ?? []).map((selection) => {
    if (selection.kind !== Kind.FIELD) {
      throw new Error("A REST route's document spells out its fields, without fragments");
    }
    return selection;
  });
}
