import { Client, type QueryResult } from 'pg';
import { TABLES, tableOf, type Model, type Row, type World } from './tables.ts';

const SEQUENCES = TABLES.filter(({ model }) => model !== 'Tag').map(({ name }) => `${name}_id_seq`);

/** Of all tables, in one round trip. Foreign keys are not checked while rows are written: a folder may be in a later one. */
const EMPTY = [
  'SET session_replication_role = replica',
  ...TABLES.map(({ name }) => `DELETE FROM ${name}`),
  'DELETE FROM _gateway_idempotency_keys',
  ...SEQUENCES.map((name) => `ALTER SEQUENCE ${name} RESTART WITH 100`),
].join(';');

const ROWS = TABLES.map(({ name, columns }) => {
  const selected = Object.entries(columns).map(
    ([field, column]) => `${column}::text AS "${field}"`,
  );
  return `SELECT ${selected.join(', ')} FROM ${name} ORDER BY ${name}.id`;
}).join(';');

const NEXT_IDS = SEQUENCES.map(
  (name) => `SELECT '${name}' AS name, last_value + is_called::int AS next FROM ${name}`,
).join(' UNION ALL ');

/** Fills and compares the tables past the gateway. */
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

  /** Replaces all rows. What is created then has ids from 100 on. */
  async fill(world: World): Promise<void> {
    await this.#client.query(EMPTY);
    for (const { name, model, columns } of TABLES) {
      const records = world[model].map((row) =>
        Object.fromEntries(
          Object.entries(columns).map(([field, column]) => [column, row[field] ?? null]),
        ),
      );
      await this.#client.query(
        `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
        [JSON.stringify(records)],
      );
    }
    await this.#client.query('SET session_replication_role = origin');
  }

  /** All rows, in the order of their ids. */
  async rows(): Promise<World> {
    const results: unknown = await this.#client.query(ROWS);
    const [topics, folders, notes, tags] = Array.isArray(results)
      ? results.map((result: QueryResult<Row>) => result.rows)
      : [];
    return { Topic: topics ?? [], Folder: folders ?? [], Note: notes ?? [], Tag: tags ?? [] };
  }

  /**
   * Changes some fields of a row, or removes it, in a transaction that is to be ended.
   *
   * @returns whether no constraint forbids it
   */
  async beginChange(model: Model, id: string, values: Row | 'removed'): Promise<boolean> {
    const { name, columns } = tableOf(model);
    const entries = values === 'removed' ? [] : Object.entries(values);
    const sets = entries.map(([field], index) => `${columns[field]} = $${index + 2}`);
    const statement =
      values === 'removed' ? `DELETE FROM ${name}` : `UPDATE ${name} SET ${sets.join(', ')}`;
    const parameters = [id, ...entries.map(([, value]) => value)];
    await this.#client.query('BEGIN');
    try {
      await this.#client.query(`${statement} WHERE id = $1`, parameters);
      return true;
    } catch (error) {
      if (error instanceof Error && 'constraint' in error) {
        return false;
      }
      throw error;
    }
  }

  async endChange(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    await this.#client.query(how);
  }

  /** The ids that rows are given next, by the names of sequences. */
  async nextIds(): Promise<Readonly<Record<string, number>>> {
    const { rows } = await this.#client.query<{ name: string; next: string }>(NEXT_IDS);
    return Object.fromEntries(rows.map(({ name, next }) => [name, Number(next)]));
  }

  async giveNextIds(ids: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, next] of Object.entries(ids)) {
      await this.#client.query('SELECT setval($1::regclass, $2, false)', [name, next]);
    }
  }
}
