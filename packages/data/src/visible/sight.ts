import { conditionFrom, type Condition } from './condition.ts';
import type { Model, Models } from './models.ts';

/**
 * What one caller sees.
 *
 * @internal
 */
export interface Sight {
  /** The model of this name. @throws TypeError if there is none */
  readonly modelOf: (name: string) => Model;
  /** What a row of the model has to fulfil to be seen; `all` without a rule. */
  readonly conditionOf: (model: Model) => Condition;
  readonly refusals: Refusals;
}

/** The errors of what a caller wants to write. They must be the same for a row that is hidden and one that isn't there. */
export interface Refusals {
  /** Of columns that would hide the row from the caller. */
  readonly value: (model: string, columns: readonly string[]) => Error;
  /** Of a column that refers to no row. */
  readonly reference: (model: string, column: string) => Error | Promise<Error>;
}

/**
 * What a caller sees of the models, by what their rules say.
 *
 * @param answerOf what a model's rule says to the caller
 * @param onRuledCall called whenever something depends on that
 * @internal
 */
export function sightOf(
  models: Models,
  answerOf: (model: string) => unknown,
  refusals: Refusals,
  onRuledCall: (model: string) => void,
): Sight {
  const conditions = new Map<Model, Condition>();
  return {
    modelOf: (name) => {
      const model = models.get(name);
      if (model === undefined) {
        throw new TypeError(`there is no model ${name}`);
      }
      return model;
    },
    conditionOf: (model) => {
      const { name, rule } = model;
      if (rule === undefined) {
        return 'all';
      }
      onRuledCall(name);
      let condition = conditions.get(model);
      if (condition === undefined) {
        condition = conditionFrom(answerOf(name), model);
        conditions.set(model, condition);
      }
      return condition;
    },
    refusals,
  };
}
