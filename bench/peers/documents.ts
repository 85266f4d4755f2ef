/** The documents that a GraphQL peer is sent. A variable without a value is omitted, rather than null. */
export interface Documents {
  /** Variables: `status`, `limit`, `after`. */
  readonly list: string;
  /** Variable: `id`. */
  readonly get: string;
  /** Variable: `input`, with `name`, `categoryId` and `status`. */
  readonly create: string;
  /** Variable: `ids`. */
  readonly ids?: string;
  /** Variables: `id`, and `input` with `name` and `status`. */
  readonly change?: string;
  /** Variable: `id`. */
  readonly remove?: string;
}

/** For servers with the gateway's own schema, the gateway included. */
export const ownDocuments: Documents = {
  list: 'query ($status: PetStatus, $limit: Int, $after: ID) { pets(status: $status, limit: $limit, after: $after) { id name categoryId status } }',
  get: 'query ($id: ID!) { pet(id: $id) { id name categoryId status } }',
  create: 'mutation ($input: NewPet!) { createPet(input: $input) { id name categoryId status } }',
  ids: 'query ($ids: [ID!]) { pets(ids: $ids) { id name categoryId status } }',
  change:
    'mutation ($id: ID!, $input: UpdatePetInput!) { updatePet(id: $id, input: $input) { id name categoryId status } }',
  remove: 'mutation ($id: ID!) { deletePet(id: $id) { id } }',
};

/** The same workloads for the schema that PostGraphile generates from the table. */
const postgraphileDocuments: Documents = {
  list: 'query ($status: PetStatus, $limit: Int = 20, $after: ID) { pets: allPetsList(first: $limit, condition: { status: $status, after: $after }) { id: rowId name categoryId status } }',
  get: 'query ($id: BigInt!) { pet: petByRowId(rowId: $id) { id: rowId name categoryId status } }',
  create:
    'mutation ($input: PetInput!) { createPet(input: { pet: $input }) { pet { id: rowId name categoryId status } } }',
};

export const documents: Readonly<Record<string, Documents>> = {
  yoga: ownDocuments,
  apollo: ownDocuments,
  mercurius: ownDocuments,
  postgraphile: postgraphileDocuments,
  'node-http': ownDocuments,
};
