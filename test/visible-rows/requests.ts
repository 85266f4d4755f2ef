import type { GeneratorValue } from 'fast-check';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import {
  ANN,
  anyValue,
  Choices,
  idOf,
  MODELS,
  TABLES,
  type Design,
  type Model,
  type Row,
} from './design.ts';
import { routesOf } from './routes.ts';

/** A request in which placeholders such as `{{cursor:3}}` stand for values from earlier responses. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Kind = 'create' | 'update' | 'replace';
type Inputs = Readonly<Record<string, unknown>>;

const NUMBERS = /^(?:code|rank|rankFrom|rankBefore|limit|first|last)$/;
/** The models that foreign keys refer to. */
const REFERRED: Readonly<Record<string, Model>> = {
  folderId: 'Folder',
  parentId: 'Folder',
  topicId: 'Topic',
  noteId: 'Note',
};
const JSON_BODY = { 'Content-Type': 'application/json' };

/** Returns the value for this name in JSON. */
export function json(name: string, value: string): unknown {
  return NUMBERS.test(name) || name === 'ownerId' || name in REFERRED ? Number(value) : value;
}

/** Random parts of requests to a design's schema. Many concern hidden rows. */
export class RequestChoices extends Choices {
  readonly design: Design;
  /** The rows that ann does not see in at least one of the worlds. */
  readonly #hidden: Readonly<Record<Model, readonly Row[]>>;

  constructor(
    generator: GeneratorValue,
    design: Design,
    hidden: Readonly<Record<Model, readonly Row[]>>,
  ) {
    super(generator);
    this.design = design;
    this.#hidden = hidden;
  }

  /** Returns the id of a row that may exist, of a hidden row, or of no row. */
  id(model: Model): string {
    const hidden = this.#hidden[model];
    return hidden.length > 0 && this.below(2) === 1
      ? (this.of(hidden)['id'] ?? '')
      : idOf(model, this.of([1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 51, 99, 100, 101]));
  }

  /** Returns a value for an argument, parameter or member with this name, as text. */
  value(name: string, model: Model): string {
    const referred = name === 'id' || name === 'ids' ? model : REFERRED[name];
    if (referred !== undefined) {
      return this.id(referred);
    }
    if (name === 'after' || name === 'before') {
      return this.below(3) === 0 ? this.id(model) : `{{cursor:${this.below(20)}}}`;
    }
    return name === 'expected' ? `{{version:${this.below(20)}}}` : anyValue(name, this);
  }

  /** Returns members for a new row or for a change; ann often sees the resulting row. */
  input(model: Model, kind: Kind): Inputs {
    const { columns, unique } = TABLES[model];
    const answer = this.design.rules[model]?.answers[ANN];
    const hidden = this.#hidden[model];
    const taken = hidden.length > 0 && this.rarely(5) ? this.of(hidden) : undefined;
    const members = columns.flatMap(({ field }): [string, unknown][] => {
      const isOptional = field === 'parentId' || field === 'folderId';
      if (
        field === 'id' ||
        (kind === 'update' && this.below(3) !== 0) ||
        (isOptional && this.below(2) === 0)
      ) {
        return [];
      }
      const seen = typeof answer === 'object' ? [answer[field] ?? []].flat() : [];
      const other =
        seen.length > 0 && this.below(5) !== 0 ? this.of(seen) : this.value(field, model);
      const value = taken && unique.includes(field) ? (taken[field] ?? '1') : other;
      return [[field, json(field, value)]];
    });
    return Object.fromEntries(members);
  }

  /** Returns the headers for a write, which sometimes include an idempotency key. */
  keyed(isKeyed = this.below(3) === 0): Record<string, string> {
    return isKeyed ? { 'Idempotency-Key': anyValue('idempotencyKey', this) } : {};
  }
}

/** Returns a request to one of the design's routes. */
export function anyRestRequest(choices: RequestChoices): Exchange {
  const { method, path: pattern, document } = choices.of(routesOf(choices.design));
  const collection = pattern.split('/').findLast((part) => /^[a-z]/.test(part));
  const model = MODELS.find((each) => TABLES[each].name === collection) ?? 'Note';
  const path = `/v1${pattern.replaceAll(/:(\w+)/g, (_all, name: string) =>
    choices.value(name === `${model.toLowerCase()}Id` ? 'id' : name, model),
  )}`;
  const etag = () => `{{etag:${choices.below(20)}}}`;
  if (method === 'get') {
    const [, declared = ''] = /\(([^)]*)\)/.exec(document) ?? [];
    const query = [...declared.matchAll(/\$(\w+): (\[?)/g)].flatMap(([, name = '', list = '']) =>
      pattern.includes(`:${name}`) || choices.below(4) !== 3
        ? []
        : [`${name}=${parameter(name, list !== '', model, choices)}`],
    );
    const headers: Exchange['headers'] = choices.rarely(3) ? { 'If-None-Match': etag() } : {};
    return { method: 'GET', path: [path, query.join('&')].filter(Boolean).join('?'), headers };
  }
  const headers = {
    ...choices.keyed(),
    ...(method !== 'post' &&
      choices.below(3) === 0 && { 'If-Match': choices.of([etag(), '*', '"none"']) }),
  };
  if (method === 'delete') {
    return { method: 'DELETE', path, headers };
  }
  const kind = ({ post: 'create', patch: 'update', put: 'replace' } as const)[method];
  return {
    method: method.toUpperCase(),
    path,
    headers: { ...headers, ...JSON_BODY },
    body: JSON.stringify(choices.input(model, kind)),
  };
}

function parameter(name: string, isList: boolean, model: Model, choices: RequestChoices): string {
  if (name === 'sort') {
    const column = model === 'Note' ? 'title' : 'name';
    return choices.of([column, `-${column}`, `-rank,${column}`, `rank,-${column}`]);
  }
  const length = isList ? 1 + choices.below(3) : 1;
  const text = Array.from({ length }, () => choices.value(name, model)).join(',');
  return text.startsWith('{{') ? text : encodeURIComponent(text).replaceAll('%2C', ',');
}

/** Returns a request whose document selects random parts of the schema. */
export function anyGraphQLRequest(
  schema: GraphQLSchema,
  choices: RequestChoices,
  operation: 'query' | 'mutation',
): Exchange {
  const query = anyDocument(schema, choices, operation);
  return {
    method: 'POST',
    path: '/graphql',
    headers: { ...JSON_BODY, ...(operation === 'mutation' && choices.keyed()) },
    body: JSON.stringify({ query }),
  };
}

type Field = GraphQLField<unknown, unknown>;

/** How deeply relations are selected. */
const DEPTH = 3;
/** Arguments that cannot be combined with each other, or with certain cursors. */
const MAY_FAIL = /^(?:orderBy|search|first|last|before|rankFrom|rankBefore|\w+Prefix)$/;
/** Arguments that are used often, because few of the others can be combined. */
const OFTEN = /^(?:limit|after|expected|orderBy|ids)$/;
/** The fields of a page. */
const PARTS = /^(?:nodes|edges|node|pageInfo)$/;

function anyDocument(
  schema: GraphQLSchema,
  choices: RequestChoices,
  operation: 'query' | 'mutation',
): string {
  const type = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(type?.getFields() ?? {});
  const count = choices.of([1, 1, 1, 2, 3]);
  // If several fields can fail at the same time, the errors depend on which one fails first.
  const isAlone = count === 1 || operation === 'mutation';
  const resources = fields.filter(isListOrGet);
  const own = fields.filter((field) => !isListOrGet(field));
  const roots = isAlone && own.length > 0 && choices.below(2) === 1 ? own : resources;
  const selected = Array.from({ length: count }, (_none, index) => {
    const depth = operation === 'query' ? DEPTH : 1;
    return `a${index}: ${selectionOf(choices.of(roots), depth, isAlone)}`;
  });
  return `${operation} { ${selected.join(' ')} }`;

  function selectionOf(field: Field, depth: number, mayFail = false): string {
    const named = getNamedType(field.type);
    const model = MODELS.find((each) => named.name.startsWith(each)) ?? 'Note';
    const args = field.args
      .filter(
        (argument) =>
          isRequiredArgument(argument) ||
          ((mayFail || !MAY_FAIL.test(argument.name)) &&
            choices.rarely(OFTEN.test(argument.name) ? 2 : 6)),
      )
      .map((argument) =>
        argument.name === 'after' && !mayFail
          ? `after: "${choices.id(model)}"`
          : `${argument.name}: ${argumentOf(field, argument, model)}`,
      );
    const given = args.length === 0 ? '' : `(${args.join(', ')})`;
    return `${field.name}${given} ${isObjectType(named) ? membersOf(named, depth) : ''}`;
  }

  function membersOf(of: GraphQLObjectType, depth: number): string {
    const members = Object.values(of.getFields()).flatMap((field) => {
      if (!isObjectType(getNamedType(field.type))) {
        const isSelected = choices.below(field.name === 'version' ? 4 : 2) > 0;
        return field.name === 'id' || isSelected ? [field.name] : [];
      }
      const isPart = PARTS.test(field.name);
      if (depth === 0 || (choices.below(3) === 0) === isPart) {
        return [];
      }
      const next = isPart ? depth : depth - 1;
      const once = selectionOf(field, next);
      return !isPart && choices.rarely(4) ? [once, `z: ${selectionOf(field, next)}`] : [once];
    });
    return `{ ${members.length === 0 ? '__typename' : members.join(' ')} }`;
  }

  function argumentOf(field: Field, { name, type: given }: GraphQLArgument, model: Model): string {
    const nullable = getNullableType(given);
    if (isInputObjectType(nullable)) {
      const kinds: readonly Kind[] = ['create', 'replace', 'update'];
      const kind = kinds.find((each) => field.name.startsWith(each)) ?? 'update';
      return literalOf(choices.input(model, kind));
    }
    return isListType(nullable)
      ? `[${itemsOf(name, nullable.ofType, model).join(', ')}]`
      : literal(name, nullable, model);
  }

  function itemsOf(name: string, item: GraphQLInputType, model: Model): readonly string[] {
    const named = getNamedType(item);
    return isEnumType(named)
      ? anyOrder(named, choices)
      : Array.from({ length: 1 + choices.below(3) }, () => literal(name, named, model));
  }

  function literal(name: string, input: GraphQLInputType, model: Model): string {
    if (isEnumType(input)) {
      return choices.of(input.getValues()).name;
    }
    const value = choices.value(name, model);
    return NUMBERS.test(name) ? value : JSON.stringify(value);
  }
}

function literalOf(input: Inputs): string {
  const members = Object.entries(input).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${members.join(', ')} }`;
}

function isListOrGet({ extensions: { notFound, listFilters } }: Field): boolean {
  return notFound !== undefined || listFilters !== undefined;
}

/** Returns a random order that the schema supports. */
function anyOrder(orders: GraphQLEnumType, choices: Choices): readonly string[] {
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
