import { PAGE_INFO, type Route } from '@store-gateway/rest';
import { removesTopics, type Design } from './design.ts';

const FIELDS = {
  Topic: 'id team name',
  Folder: 'id ownerId team name rank',
  Note: 'id ownerId team title code rank',
  Tag: 'id ownerId label',
};
type Name = keyof typeof FIELDS;

/** The arguments of a list beside `limit` and `after`, each with its parameter and type. */
type Arguments = Readonly<Record<string, string>>;

/** REST of a design's schema: whatever it lists, gets and changes. */
export function routesOf(design: Design): Route[] {
  const { isOrdered, isSearched, isCounted, byIds, folderFilters, noteFilters } = design;
  const ids: Arguments = byIds ? { ids: 'ids: [ID!]' } : {};
  const orders = (name: Name, prefixed: string): Arguments =>
    isOrdered
      ? {
          orderBy: `sort: [${name}Order!]`,
          rankFrom: 'rankFrom: Int',
          rankBefore: 'rankBefore: Int',
          [`${prefixed}Prefix`]: 'prefix: String',
        }
      : {};
  const search: Arguments = isSearched ? { search: 'search: String' } : {};
  const filters = {
    none: {},
    parentId: { parentId: 'parentId: ID' },
    team: { team: 'team: String' },
    folderId: { folderId: 'folderId: ID' },
    folderIds: { folderId: 'folderId: [ID!]' },
    ownerId: { ownerId: 'ownerId: ID' },
  };
  return [
    list('Topic', isOrdered ? { orderBy: 'sort: [TopicOrder!]' } : {}, false),
    get('Topic', ''),
    post('Topic'),
    change('Topic'),
    ...(removesTopics(design) ? [remove('Topic')] : []),
    list(
      'Folder',
      { ...ids, ...orders('Folder', 'name'), ...search, ...filters[folderFilters] },
      isCounted,
    ),
    get('Folder', design.toOne ? 'parent { id name }' : ''),
    post('Folder'),
    change('Folder'),
    remove('Folder'),
    list(
      'Note',
      { ...ids, ...orders('Note', 'title'), ...search, ...filters[noteFilters] },
      isCounted,
    ),
    get('Note', design.toOne ? 'folder { id name } topic { id name }' : ''),
    post('Note'),
    change('Note'),
    change('Note', 'put'),
    remove('Note'),
    list('Tag', { ...ids }, false),
    get('Tag', design.toOne ? 'note { id title }' : ''),
    remove('Tag'),
    below('Note', 'Tag'),
    ...(noteFilters === 'folderId' ? [below('Folder', 'Note')] : []),
  ];
}

function list(name: Name, args: Arguments, isCounted: boolean): Route {
  const parameters = Object.values(args).map((parameter) => `, $${parameter}`);
  const given = Object.entries(args).map(
    ([argument, parameter]) => `, ${argument}: $${parameter.replace(/:.*/, '')}`,
  );
  return {
    method: 'get',
    path: `/${pluralOf(name)}`,
    summary: `List ${pluralOf(name)}`,
    document: `query list${name}s($limit: Int, $after: ID${parameters.join('')}) {
      ${pluralOf(name)}Connection(limit: $limit, after: $after${given.join('')}) {
        nodes { ${FIELDS[name]} } ${isCounted ? 'totalCount' : ''} ${PAGE_INFO}
      }
    }`,
    status: 200,
  };
}

function below(parent: Name, name: Name): Route {
  const one = oneOf(parent);
  return {
    method: 'get',
    path: `/${pluralOf(parent)}/:${one}Id/${pluralOf(name)}`,
    summary: `List ${pluralOf(name)} of a ${one}`,
    document: `query list${name}sOf${parent}($${one}Id: ID!, $limit: Int, $after: ID) {
      ${one}(id: $${one}Id) { id }
      ${pluralOf(name)}Connection(${one}Id: $${one}Id, limit: $limit, after: $after) {
        nodes { ${FIELDS[name]} } ${PAGE_INFO}
      }
    }`,
    status: 200,
  };
}

function get(name: Name, relations: string): Route {
  const one = oneOf(name);
  return {
    method: 'get',
    path: `/${pluralOf(name)}/:${one}Id`,
    summary: `Get a ${one}`,
    document: `query get${name}($${one}Id: ID!) { ${one}(id: $${one}Id) { ${FIELDS[name]} ${relations} } }`,
    status: 200,
  };
}

function post(name: Name): Route {
  return {
    method: 'post',
    path: `/${pluralOf(name)}`,
    summary: `Add a ${oneOf(name)}`,
    document: `mutation create${name}($input: New${name}!) { create${name}(input: $input) { ${FIELDS[name]} } }`,
    status: 201,
  };
}

function change(name: Name, method: 'patch' | 'put' = 'patch'): Route {
  const [verb, type] = method === 'patch' ? ['update', 'Update'] : ['replace', 'Replace'];
  const one = oneOf(name);
  return {
    method,
    path: `/${pluralOf(name)}/:${one}Id`,
    summary: `${type} a ${one}`,
    document: `mutation ${verb}${name}($${one}Id: ID!, $input: ${type}${name}Input!, $expected: [String!]) {
      ${verb}${name}(id: $${one}Id, input: $input, expected: $expected) { ${FIELDS[name]} }
    }`,
    status: 200,
  };
}

function remove(name: Name): Route {
  const one = oneOf(name);
  return {
    method: 'delete',
    path: `/${pluralOf(name)}/:${one}Id`,
    summary: `Remove a ${one}`,
    document: `mutation delete${name}($${one}Id: ID!, $expected: [String!]) {
      delete${name}(id: $${one}Id, expected: $expected) { id }
    }`,
    status: 204,
  };
}

function oneOf(name: Name): string {
  return name.toLowerCase();
}

function pluralOf(name: Name): string {
  return `${oneOf(name)}s`;
}
