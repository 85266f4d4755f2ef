import type { Arguments } from '../arguments.ts';
import { isObject } from './arguments.ts';
import { callEngine } from '../engine.ts';
import { keyOf } from '../model.ts';
import type { Model } from './models.ts';
import type { Sight } from './sight.ts';
import { visibleRow } from './visible-row.ts';
import { visibleSelection } from './visible-selection.ts';
import { visibleWhere } from './visible-where.ts';

/** A call of a model's method, by the client or in one of its transactions. */
export class Call {
  readonly #client: object;
  readonly model: Model;
  readonly sight: Sight;

  constructor(client: object, model: Model, sight: Sight) {
    this.#client = client;
    this.model = model;
    this.sight = sight;
  }

  async ask(operation: string, args: Arguments, model = this.model): Promise<unknown> {
    return await callEngine(this.#client, keyOf(model.name), operation, args);
  }

  /** Asks for rows that are surely visible: of others, they have what the caller sees. */
  async select(operation: string, given: Arguments): Promise<unknown> {
    const { args, view } = visibleSelection(given, this.model, this.sight);
    return visibleRow(await this.ask(operation, args), view);
  }

  /** The columns that its rule is about of the row with this id; undefined if it isn't visible. */
  async columnsOfRule(value: unknown, model = this.model): Promise<Arguments | undefined> {
    const { id = '' } = model;
    const where = visibleWhere({ [id]: value }, model, this.sight);
    if (where === model.nowhere) {
      return undefined;
    }
    const columns = [id, ...(model.rule?.columns ?? [])];
    const select = Object.fromEntries(columns.map((column) => [column, true]));
    const row = await this.ask('findUnique', { where, select }, model);
    return isObject(row) ? row : undefined;
  }
}
