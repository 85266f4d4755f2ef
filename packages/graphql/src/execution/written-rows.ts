import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { isJsonObject, TakenRows, WrittenJson, type RowTexts } from '@store-gateway/ops';
import type { PlanRows, RowsPlan } from './rows-plan.ts';

/** What an execution is given. */
export interface OperationArgs extends ExecutionArgs {
  readonly planRows?: PlanRows | undefined;
}

type ExecuteRoot = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** A result whose list is written already. */
export class ResultWithRows implements ExecutionResult {
  readonly data: Record<string, unknown>;
  readonly #plan: RowsPlan;
  readonly #rows: WrittenJson;

  constructor(data: unknown, plan: RowsPlan, rows: WrittenJson) {
    const { key, nodesKey } = plan;
    const connection = isJsonObject(data) ? data[key] : undefined;
    this.data = {
      [key]:
        nodesKey !== undefined && isJsonObject(connection)
          ? { ...connection, [nodesKey]: rows }
          : rows,
    };
    this.#plan = plan;
    this.#rows = rows;
  }

  isBy(plan: RowsPlan | undefined): boolean {
    return this.#plan === plan;
  }

  /** The whole as JSON. */
  toText(): string {
    const { key, nodesKey } = this.#plan;
    const connection = this.data[key];
    const members =
      nodesKey !== undefined && isJsonObject(connection)
        ? Object.entries(connection).map(
            ([name, value]) =>
              `${JSON.stringify(name)}:${value === this.#rows ? this.#rows.text : JSON.stringify(value)}`,
          )
        : undefined;
    const text = members === undefined ? this.#rows.text : `{${members.join(',')}}`;
    return `{"data":{${JSON.stringify(key)}:${text}}}`;
  }
}

/** Whether a result is as it was asked for: rows are only written for those who have the same plan for them. */
export function isAsPlanned(
  result: ExecutionResult,
  { planRows, ...args }: OperationArgs,
): boolean {
  return !(result instanceof ResultWithRows) || result.isBy(planRows?.(args));
}

/**
 * Executes an operation, and writes its list from what the database wrote. If something of that fails, the operation is executed
 * once more: it is a query, and graphql-js has the errors.
 */
export async function executeWithRows(
  { planRows, ...args }: OperationArgs,
  execute: ExecuteRoot,
): Promise<ExecutionResult> {
  const plan = planRows?.(args);
  if (plan === undefined) {
    return execute(args);
  }
  const taken = new TakenRows();
  const result = await execute({ ...args, rootValue: taken });
  if (taken.rows === undefined) {
    return result;
  }
  const text = result.errors === undefined ? written(taken.rows, plan) : undefined;
  return text === undefined
    ? execute(args)
    : new ResultWithRows(result.data, plan, new WrittenJson(text));
}

function written(rows: RowTexts, { columns }: RowsPlan): string | undefined {
  try {
    return rows.write(columns);
  } catch {
    return undefined;
  }
}
