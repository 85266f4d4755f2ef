import {
  type DataModel,
  type DataModels,
  type RowRule,
  type RowRules,
  typeOfField,
} from './rules.ts';

/** Whether a relation of a model, by its field, is known to refer to the id of the other. */
type RefersToId = (model: string, field: string) => boolean;

/** Why rules can't be kept by these models, each with what to do; none if they can. */
export function ruleFaults(
  models: DataModels,
  rules: RowRules,
  refersToId: RefersToId,
): readonly string[] {
  const faults: string[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const model = models[name];
    if (model === undefined) {
      faults.push(`${name} has a rule, but there is no such model`);
    } else {
      faults.push(...columnFaults(name, model, rule), ...uniqueFaults(name, model, rule));
    }
  }
  return faults.concat(referenceFaults(models, rules, refersToId));
}

function columnFaults(name: string, { fields }: DataModel, { columns }: RowRule): string[] {
  if (columns.length === 0) {
    return [
      `visible.columns of ${name} is empty: name the columns that decide which rows are visible`,
    ];
  }
  return columns.flatMap((column) => {
    const field = fields.find((each) => each.name === column);
    if (field === undefined || field.kind === 'object') {
      return [
        `visible.columns of ${name} has ${column}, which is not a column: name a column of ${name}`,
      ];
    }
    return typeOfField(field)?.compare === undefined
      ? [
          `${name}.${column} can't decide which rows are visible, because it can't be compared exactly: use an integer, a text, an enum, a boolean, a Decimal or a time`,
        ]
      : [];
  });
}

/** A conflict would tell that a hidden row has the same values. */
function uniqueFaults(
  name: string,
  { fields, primaryKey, uniqueIndexes }: DataModel,
  { columns }: RowRule,
): string[] {
  const ids = fields.filter(({ isId, hasDefaultValue }) => isId && !hasDefaultValue);
  const unique = [
    ...fields.filter(({ isUnique, isId }) => isUnique && !isId).map((field) => [field.name]),
    ...ids.map((field) => [field.name]),
    ...uniqueIndexes.map((index) => index.fields),
    ...(primaryKey === null ? [] : [primaryKey.fields]),
  ];
  return unique
    .filter((constrained) => !columns.every((column) => constrained.includes(column)))
    .map((constrained) => {
      const missing = columns.filter((column) => !constrained.includes(column));
      const remedy = ids.some((field) => constrained.includes(field.name))
        ? `give it a default that generates its value`
        : `make it @@unique([${[...missing, ...constrained].join(', ')}])`;
      return `${name}.${constrained.join(', ')} is also unique among hidden rows, so a conflict would reveal them: ${remedy}`;
    });
}

/** To see whether what a foreign key refers to is visible, it is looked up by its id. */
function referenceFaults(models: DataModels, rules: RowRules, refersToId: RefersToId): string[] {
  return Object.entries(models).flatMap(([name, { fields }]) =>
    fields
      .filter(
        ({ name: field, kind, type, relationFromFields = [] }) =>
          kind === 'object' &&
          rules[type] !== undefined &&
          relationFromFields.length > 0 &&
          !(
            relationFromFields.length === 1 &&
            (hasOneKey(models[type]) || refersToId(name, field))
          ),
      )
      .map(
        ({ name: field, type }) =>
          `${name}.${field} refers to ${type}, which has hidden rows, by columns other than its id: make it refer to the id`,
      ),
  );
}

function hasOneKey(model: DataModel | undefined): boolean {
  return (
    model !== undefined &&
    model.primaryKey === null &&
    model.uniqueIndexes.length === 0 &&
    model.fields.filter(({ isId, isUnique }) => isId || isUnique).length === 1
  );
}
