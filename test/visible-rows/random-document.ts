import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Known } from './known.ts';
import { literal } from './json-text.ts';
import type { Choices } from './random.ts';
import type { Model } from './tables.ts';
import { anyId, anyInput, anyValue } from './values.ts';

type Field = GraphQLField<unknown, unknown>;

/** How deep relations are selected. */
const DEPTH = 3;

/** Arguments that can't be combined with each other, or with any cursor. */
const MAY_FAIL = /^(?:orderBy|search|first|last|before|rankFrom|rankBefore|\w+Prefix)$/;

/** A document that asks for whatever a schema has. */
export function randomDocument(
  schema: GraphQLSchema,
  known: Known,
  choices: Choices,
  operation: 'query' | 'mutation',
): string {
  const type = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(type?.getFields() ?? {});
  const count = choices.of([1, 1, 1, 2, 3]);
  // Where several fields may fail at once, chance decides which errors are told.
  const isAlone = count === 1 || operation === 'mutation';
  const [shared, own] = [
    fields.filter(({ extensions }) => isListOrGet(extensions)),
    fields.filter(({ extensions }) => !isListOrGet(extensions)),
  ];
  const roots = isAlone && own.length > 0 && choices.below(2) === 1 ? own : shared;
  const selected = Array.from({ length: count }, (_none, index) => {
    const depth = operation === 'query' ? DEPTH : 1;
    return `a${index}: ${selectionOf(choices.of(roots), depth, isAlone)}`;
  });
  return `${operation} { ${selected.join(' ')} }`;

  function selectionOf(field: Field, depth: number, mayFail = false): string {
    const named = getNamedType(field.type);
    const model = modelOf(named.name);
    const args = field.args
      .filter(
        (argument) =>
          isRequiredArgument(argument) ||
          ((mayFail || !MAY_FAIL.test(argument.name)) && choices.rarely(timesOf(argument))),
      )
      .map((argument) =>
        argument.name === 'after' && !mayFail
          ? `after: "${anyId(model, known, choices)}"`
          : `${argument.name}: ${argumentOf(field, argument, model)}`,
      );
    const given = args.length === 0 ? '' : `(${args.join(', ')})`;
    const below = isCompositeType(named) && isObjectType(named) ? membersOf(named, depth) : '';
    return `${field.name}${given} ${below}`;
  }

  function membersOf(of: GraphQLObjectType, depth: number): string {
    const members = Object.values(of.getFields()).flatMap((field) => {
      const named = getNamedType(field.type);
      if (!isCompositeType(named)) {
        return field.name === 'id' || choices.below(field.name === 'version' ? 4 : 2) > 0
          ? [field.name]
          : [];
      }
      const isPart = /^(?:nodes|edges|node|pageInfo)$/.test(field.name);
      if (depth === 0 || (isPart ? choices.below(3) === 0 : choices.below(3) !== 2)) {
        return [];
      }
      const next = isPart ? depth : depth - 1;
      const once = selectionOf(field, next);
      return !isPart && choices.rarely(4) ? [once, `z: ${selectionOf(field, next)}`] : [once];
    });
    return `{ ${members.length === 0 ? '__typename' : members.join(' ')} }`;
  }

  function argumentOf(field: Field, { name, type: given }: GraphQLArgument, model: Model): string {
    const nullable = isNonNullType(given) ? given.ofType : given;
    if (isInputObjectType(nullable)) {
      const kind = field.name.startsWith('create')
        ? 'create'
        : field.name.startsWith('replace')
          ? 'replace'
          : 'update';
      return literalOf(anyInput(known, model, choices, kind));
    }
    return isListType(nullable) ? listOf(name, nullable.ofType, model) : one(name, model);
  }

  function listOf(name: string, item: GraphQLInputType, model: Model): string {
    const named = getNamedType(item);
    if (isEnumType(named)) {
      return `[${anyOrder(named, choices).join(', ')}]`;
    }
    const items = Array.from({ length: 1 + choices.below(3) }, () => one(name, model));
    return `[${[...new Set(items)].join(', ')}]`;
  }

  function one(name: string, model: Model): string {
    return literal(name, anyValue(name, model, known, choices));
  }
}

function literalOf(input: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(input).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${members.join(', ')} }`;
}

function isListOrGet({ notFound, listFilters }: Field['extensions']): boolean {
  return notFound !== undefined || listFilters !== undefined;
}

/** How rarely an argument is given that needn't be: of those of an order, few can be combined. */
function timesOf({ name }: GraphQLArgument): number {
  return /^(?:limit|after|expected|orderBy|ids)$/.test(name) ? 2 : 6;
}

/** An order that is declared. */
function anyOrder(orders: GraphQLEnumType, choices: Choices): string[] {
  const column = orders
    .getValues()
    .map(({ name }) => name.replace(/_(?:ASC|DESC)$/, ''))
    .find((name) => name !== 'RANK');
  return choices.of([
    [`${column}_ASC`],
    [`${column}_DESC`],
    ['RANK_DESC', `${column}_ASC`],
    ['RANK_ASC', `${column}_DESC`],
  ]);
}

/** The model that a type is about. */
function modelOf(name: string): Model {
  const models: readonly Model[] = ['Topic', 'Folder', 'Note', 'Tag'];
  return models.find((model) => name.startsWith(model)) ?? 'Note';
}
