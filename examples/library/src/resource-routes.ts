import { PAGE_INFO, type Route } from '@store-gateway/rest';

export interface Resource {
  readonly name: string;
  readonly plural: string;
  readonly noun: string;
  /** The fields of its representation. */
  readonly fields: string;
  /** The type of `expected` in changes, which is required for authors. */
  readonly expected?: string;
  /** Arguments of its list beside `limit` and `after`, each with its parameter and type. */
  readonly list?: Readonly<Record<string, string>>;
  /** Another field that its list selects. */
  readonly count?: 'totalCount';
}

/** The routes of a resource: its list, adding one, and getting one. */
export function resource({ name, plural, noun, fields, list = {}, count }: Resource): Route[] {
  const all = `fragment All on ${name} { ${fields} }`;
  const parameters = Object.values(list).map((parameter) => `, $${parameter}`);
  const args = Object.entries(list).map(
    ([argument, parameter]) => `, ${argument}: $${parameter.replace(/:.*/, '')}`,
  );
  const one = name.toLowerCase();
  return [
    {
      method: 'get',
      path: `/${plural}`,
      summary: `List all ${plural}`,
      description: `Returns a paginated list of ${plural}, by default ordered by id.`,
      document: `query list${name}s($limit: Int, $after: ID${parameters.join('')}) {
        ${plural}Connection(limit: $limit, after: $after${args.join('')}) {
          nodes { ...All } ${count ?? ''} ${PAGE_INFO}
        }
      } ${all}`,
      status: 200,
    },
    {
      method: 'post',
      path: `/${plural}`,
      summary: `Add ${noun}`,
      document: `mutation create${name}($input: New${name}!) {
        create${name}(input: $input) { ...All }
      } ${all}`,
      status: 201,
    },
    {
      method: 'get',
      path: `/${plural}/:${one}Id`,
      summary: `Get ${noun}`,
      document: `query get${name}($${one}Id: ID!) { ${one}(id: $${one}Id) { ...All } } ${all}`,
      status: 200,
    },
  ];
}
