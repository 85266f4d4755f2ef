import { PAGE_INFO, type Route } from '@store-gateway/rest';
import { routesOf as routesBy } from '../support/declared-store.ts';
import { MODELS, perModel, TABLES, type Design, type Model } from './design.ts';

/** Each model's columns, except foreign keys. */
const FIELDS = perModel((model) => {
  const { columns, references } = TABLES[model];
  const names = columns.map(({ field }) => field);
  return names
    .filter((name) => references.every(({ foreignKey }) => foreignKey !== name))
    .join(' ');
});

const RELATIONS: Readonly<Record<Model, string>> = {
  Topic: '',
  Folder: 'parent { id name }',
  Note: 'folder { id name } topic { id name }',
  Tag: 'note { id title }',
};

/** A list's arguments, with their parameters and types. */
type Arguments = Readonly<Record<string, string>>;

const FILTERS: Readonly<Record<Design['folderFilters' | 'noteFilters'], Arguments>> = {
  none: {},
  parentId: { parentId: 'parentId: ID' },
  team: { team: 'team: String' },
  folderId: { folderId: 'folderId: ID' },
  folderIds: { folderId: 'folderId: [ID!]' },
  ownerId: { ownerId: 'ownerId: ID' },
};

/** Returns routes for everything that a design's schema can list, get and change. */
export function routesOf(design: Design): Route[] {
  const { isOrdered, isSearched, isCounted, byIds, folderFilters, noteFilters } = design;
  const ids: Arguments = byIds ? { ids: 'ids: [ID!]' } : {};
  const argumentsOf = (model: Model, prefix: string): Arguments => ({
    ...ids,
    ...(isSearched && { search: 'search: String' }),
    ...(isOrdered && {
      orderBy: `sort: [${model}Order!]`,
      rankFrom: 'rankFrom: Int',
      rankBefore: 'rankBefore: Int',
      [prefix]: 'prefix: String',
    }),
  });
  const count = isCounted ? 'totalCount' : '';
  const folders = { ...argumentsOf('Folder', 'namePrefix'), ...FILTERS[folderFilters] };
  const notes = { ...argumentsOf('Note', 'titlePrefix'), ...FILTERS[noteFilters] };
  const lines = [
    list('Topic', isOrdered ? { orderBy: 'sort: [TopicOrder!]' } : {}),
    list('Folder', folders, count),
    list('Note', notes, count),
    list('Tag', ids),
    below('Note', 'Tag'),
    ...(noteFilters === 'folderId' ? [below('Folder', 'Note')] : []),
    ...MODELS.flatMap((model) => ofRow(model, design)),
  ];
  return routesBy(Object.fromEntries(lines));
}

/** A route's method and path on one line, and its document. */
type Line = readonly [line: string, document: string];

function list(model: Model, args: Arguments, count = ''): Line {
  const plural = TABLES[model].name;
  const parameters = Object.values(args).map((parameter) => `, $${parameter}`);
  const given = Object.entries(args).map(
    ([argument, parameter]) => `, ${argument}: $${parameter.replace(/:.*/, '')}`,
  );
  return [
    `get /${plural}`,
    `query list${model}s($limit: Int, $after: ID${parameters.join('')}) {
      ${plural}Connection(limit: $limit, after: $after${given.join('')}) {
        nodes { ${FIELDS[model]} } ${count} ${PAGE_INFO}
      }
    }`,
  ];
}

function below(parent: Model, model: Model): Line {
  const [one, plural] = [parent.toLowerCase(), TABLES[model].name];
  return [
    `get /${TABLES[parent].name}/:${one}Id/${plural}`,
    `query list${model}sOf${parent}($${one}Id: ID!, $limit: Int, $after: ID) {
      ${one}(id: $${one}Id) { id }
      ${plural}Connection(${one}Id: $${one}Id, limit: $limit, after: $after) {
        nodes { ${FIELDS[model]} } ${PAGE_INFO}
      }
    }`,
  ];
}

/** Returns routes that get, create, change and delete a row. */
function ofRow(model: Model, design: Design): Line[] {
  const [one, plural] = [model.toLowerCase(), TABLES[model].name];
  const id = `${one}Id`;
  const path = `/${plural}/:${id}`;
  const selected = `{ ${FIELDS[model]} ${design.toOne ? RELATIONS[model] : ''} }`;
  const change = (method: 'patch' | 'put', verb: 'Update' | 'Replace'): Line => [
    `${method} ${path}`,
    `mutation ${method}${model}($${id}: ID!, $input: ${verb}${model}Input!, $expected: [String!]) {
        ${verb.toLowerCase()}${model}(id: $${id}, input: $input, expected: $expected) ${selected}
      }`,
  ];
  const create = `mutation post${model}($input: New${model}!) { create${model}(input: $input) ${selected} }`;
  const remove = `mutation remove${model}($${id}: ID!, $expected: [String!]) {
    delete${model}(id: $${id}, expected: $expected) { id }
  }`;
  return [
    [`get ${path}`, `query get${model}($${id}: ID!) { ${one}(id: $${id}) ${selected} }`],
    ...(model === 'Tag' ? [] : [[`post /${plural}`, create] as const, change('patch', 'Update')]),
    ...(model === 'Note' ? [change('put', 'Replace')] : []),
    ...(model === 'Topic' ? [] : [[`delete ${path}`, remove] as const]),
  ];
}
