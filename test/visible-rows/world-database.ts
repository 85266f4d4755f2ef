import { Client, type QueryResult } from 'pg';
import { MODELS, perModel, TABLES, type Model, type Row, type World } from './design.ts';

const SEQUENCES = MODELS.filter((model) => model !== 'Tag').map(
  (model) => `${TABLES[model].name}_id_seq`,
);

/**
 * Empties the tables in one round trip. Foreign keys are not checked while rows are written, because a folder may refer
 * to a later one.
 */
const EMPTY = [
  'SET session_replication_role = replica',
  ...MODELS.map((model) => `DELETE FROM ${TABLES[model].name}`),
  'DELETE FROM _gateway_idempotency_keys',
].join(';');

const ROWS = MODELS.map((model) => {
  const { name, columns } = TABLES[model];
  const selected = columns.map(({ field, column }) => `${column}::text AS "${field}"`);
  return `SELECT ${selected.join(', ')} FROM ${name} ORDER BY ${name}.id`;
}).join(';');

const NEXT_IDS = SEQUENCES.map(
  (name) => `SELECT '${name}' AS name, last_value + is_called::int AS next FROM ${name}`,
).join(' UNION ALL ');

/** Fills and reads the tables without the gateway. */
export class WorldDatabase {
  readonly #client: Client;

  constructor(url: string) {
    this.#client = new Client(url);
  }

  connect(): Promise<unknown> {
    return this.#client.connect();
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  /** Replaces all rows. Rows that are created later get ids from 100 on. */
  async write(world: World): Promise<void> {
    await this.#client.query(EMPTY);
    await this.restartIds(100);
    for (const model of MODELS) {
      const { name, columns } = TABLES[model];
      const records = world[model].map((row) =>
        Object.fromEntries(columns.map(({ field, column }) => [column, row[field] ?? null])),
      );
      await this.#client.query(
        `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
        [JSON.stringify(records)],
      );
    }
    await this.#client.query('SET session_replication_role = origin');
  }

  /** Returns all rows, ordered by id. */
  async rows(): Promise<World> {
    const results: unknown = await this.#client.query(ROWS);
    const rows = Array.isArray(results)
      ? results.map((result: QueryResult<Row>) => result.rows)
      : [];
    return perModel((model) => rows[MODELS.indexOf(model)] ?? []);
  }

  /** Replaces a row's fields, or removes the row. */
  async change(model: Model, id: string, values: Row | 'removed'): Promise<void> {
    const { name, columns } = TABLES[model];
    if (values === 'removed') {
      await this.#client.query(`DELETE FROM ${name} WHERE id = $1`, [id]);
      return;
    }
    const changed = columns.filter(({ field }) => field in values);
    const sets = changed.map(({ column }, index) => `${column} = $${index + 2}`);
    await this.#client.query(`UPDATE ${name} SET ${sets.join(', ')} WHERE id = $1`, [
      id,
      ...changed.map(({ field }) => values[field]),
    ]);
  }

  /** Returns the ids that the next rows will get. */
  async nextIds(): Promise<unknown> {
    const { rows } = await this.#client.query<object>(NEXT_IDS);
    return rows;
  }

  /** Sets the id from which later rows are numbered. */
  async restartIds(from: number): Promise<void> {
    const restarts = SEQUENCES.map((name) => `ALTER SEQUENCE ${name} RESTART WITH ${from}`);
    await this.#client.query(restarts.join(';'));
  }
}
