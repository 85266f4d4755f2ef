import type { Arguments } from '../arguments.ts';
import { presentRow } from '../prisma-internals.ts';
import type { Call } from './call.ts';
import { visibleRow } from './visible-row.ts';
import { visiblePage, visibleSelection } from './visible-selection.ts';
import { visibleUnique } from './visible-where.ts';

export type Operation = (call: Call, args: Arguments) => Promise<unknown>;

const findUnique: Operation = async (call, given) => {
  const { model, sight } = call;
  const { args, view } = visibleSelection(given, model, sight);
  const where = visibleUnique(args['where'], model, sight);
  return where === model.nowhere
    ? null
    : visibleRow(await call.ask('findUnique', { ...args, where }), view);
};

const findSome =
  (operation: string, noRow: () => unknown): Operation =>
  async (call, given) => {
    const { model, sight } = call;
    const page = visiblePage(given, model, sight);
    return page['where'] === model.nowhere ? noRow() : call.select(operation, page);
  };

const findFirst = findSome('findFirst', () => null);

/** What is read of several rows together has nothing of other models. */
const ofSeveral =
  (operation: string): Operation =>
  (call, args) =>
    call.ask(operation, visiblePage(args, call.model, call.sight));

const orThrow =
  (find: Operation): Operation =>
  async (call, args) =>
    presentRow(await find(call, args), 'query', call.model.name);

export const READS = {
  findUnique,
  findUniqueOrThrow: orThrow(findUnique),
  findFirst,
  findFirstOrThrow: orThrow(findFirst),
  findMany: findSome('findMany', () => []),
  count: ofSeveral('count'),
  aggregate: ofSeveral('aggregate'),
  groupBy: ofSeveral('groupBy'),
};
