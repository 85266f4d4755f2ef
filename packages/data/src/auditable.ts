import { isPlainObject } from './arguments.ts';
import type { Audit } from './audit.ts';
import type { Model } from './model.ts';

type Models = Pick<Audit, 'models' | 'audited'>;

/** What a nested write may do to the row that refers to another: it changes no other row. */
const REFERENCES = new Set(['connect', 'disconnect']);

/** Prisma's nested writes. */
const NESTED = new Set([
  ...REFERENCES,
  'connectOrCreate',
  'create',
  'createMany',
  'delete',
  'deleteMany',
  'set',
  'update',
  'updateMany',
  'upsert',
]);

/**
 * Expects a write to have no nested writes of rows of audited models, which nothing would note.
 *
 * @param name of the model, unless statements aren't made from it
 * @throws TypeError that says what to do instead
 */
export function expectAuditable(models: Models, name: string | undefined, args: unknown): void {
  if (isPlainObject(args)) {
    for (const data of [args['data'], args['create'], args['update']]) {
      expectNoNested(models, name, data);
    }
  }
}

function expectNoNested(models: Models, name: string | undefined, data: unknown): void {
  if (Array.isArray(data)) {
    data.forEach((item) => expectNoNested(models, name, item));
  }
  if (!isPlainObject(data)) {
    return;
  }
  const model = name === undefined ? undefined : models.models[name];
  for (const [field, value] of Object.entries(data)) {
    if (isPlainObject(value) && writesNested(model, field, value)) {
      expectNestedAuditable(models, { model, field, value });
    }
  }
}

/** Whether a member of `data` is a relation's; of a model that isn't known, whether it looks like one. */
function writesNested(model: Model | undefined, field: string, value: object): boolean {
  return model === undefined
    ? Object.keys(value).some((operation) => NESTED.has(operation))
    : model.relations.some((relation) => relation.field === field);
}

interface NestedWrite {
  readonly model: Model | undefined;
  readonly field: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function expectNestedAuditable(models: Models, { model, field, value }: NestedWrite): void {
  const relation = model?.relations.find((each) => each.field === field);
  const operations = Object.keys(value).filter((operation) => value[operation] !== undefined);
  if (relation?.kind === 'one' && operations.every((operation) => REFERENCES.has(operation))) {
    return;
  }
  const other = relation?.model;
  if (other === undefined || models.models[other] === undefined || models.audited.has(other)) {
    throw new TypeError(
      `rows of ${other ?? field} can't be written within those of ${model?.name ?? 'another model'}, as their writes are audited: write them by themselves, in $transaction(async (transaction) => …)`,
    );
  }
  for (const nested of Object.values(value).flat()) {
    expectNoNested(models, other, nested);
    expectAuditable(models, other, nested);
  }
}
