import { Pool, types, type QueryConfig } from 'pg';
import type { PetStatus } from '../generated/enums.ts';
import { serveRest, type ListQuery, type NewPet, type Queries } from './support/fastify-rest.ts';
import { POOL } from './support/pool.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus;
}

// node-postgres returns an int8 as text; the ids of this data fit into a double.
types.setTypeParser(types.builtins.INT8, Number);

const COLUMNS = 'id, name, category_id AS "categoryId", status';
const CHANGEABLE = [
  { member: 'name', column: 'name' },
  { member: 'categoryId', column: 'category_id' },
  { member: 'status', column: 'status' },
] as const;
const PAGE = 'ORDER BY id LIMIT';

const pool = new Pool(POOL);

const queries: Queries = {
  listPets: async (query) => (await pool.query<Row>(listStatement(query))).rows,
  getPet: async (id) => {
    const { rows } = await pool.query<Row>({
      name: 'get',
      text: `SELECT ${COLUMNS} FROM pets WHERE id = $1`,
      values: [id],
    });
    return rows[0] ?? null;
  },
  createPet: async ({ name, categoryId, status }) => {
    const { rows } = await pool.query<Row>({
      name: 'create',
      text: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
      values: [name, categoryId, status],
    });
    const [row] = rows;
    if (row === undefined) {
      throw new Error('An insert returned no row');
    }
    return row;
  },
  listPetsByIds: async (ids) => {
    const { rows } = await pool.query<Row>({
      name: 'ids',
      text: `SELECT ${COLUMNS} FROM pets WHERE id = ANY ($1::bigint[]) ORDER BY id`,
      values: [ids],
    });
    return rows;
  },
  updatePet: async (id, changes) => {
    const { rows } = await pool.query<Row>(updateStatement(id, changes));
    return rows[0] ?? null;
  },
  deletePet: async (id) => {
    const { rowCount } = await pool.query({
      name: 'delete',
      text: 'DELETE FROM pets WHERE id = $1',
      values: [id],
    });
    return rowCount === 1;
  },
};

await serveRest(queries);

/** A statement for each combination of changed columns. */
function updateStatement(id: number, changes: Partial<NewPet>): QueryConfig {
  const given = CHANGEABLE.filter(({ member }) => changes[member] !== undefined);
  const set = given.map(({ column }, index) => `${column} = $${index + 2}`).join(', ');
  return {
    name: `update ${given.map(({ column }) => column).join(' ')}`,
    text: `UPDATE pets SET ${set || 'id = id'} WHERE id = $1 RETURNING ${COLUMNS}`,
    values: [id, ...given.map(({ member }) => changes[member])],
  };
}

/** A statement for each combination of filters, so that each has a plan of its own. */
function listStatement({ status, limit, after }: ListQuery): QueryConfig {
  const select = `SELECT ${COLUMNS} FROM pets`;
  if (status === undefined) {
    return after === undefined
      ? { name: 'all', text: `${select} ${PAGE} $1`, values: [limit] }
      : {
          name: 'allAfter',
          text: `${select} WHERE id > $2 ${PAGE} $1`,
          values: [limit, after],
        };
  }
  return after === undefined
    ? {
        name: 'status',
        text: `${select} WHERE status = $2 ${PAGE} $1`,
        values: [limit, status],
      }
    : {
        name: 'statusAfter',
        text: `${select} WHERE status = $2 AND id > $3 ${PAGE} $1`,
        values: [limit, status, after],
      };
}
