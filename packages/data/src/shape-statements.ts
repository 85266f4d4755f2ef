import type { Statement } from '@store-gateway/ops';
import { createHash } from 'node:crypto';
import type { BatchStatements } from './batch.ts';

/** Shapes of a model's changes or pages whose statements are kept, as each connection keeps them prepared. */
const MAX_SHAPES = 128;

/** Statements by the shapes of what they do: those that come first are kept, and there may be any number of others. */
export function statementsByShape<Shape>(
  nameOf: (shape: Shape) => string,
  make: (shape: Shape) => BatchStatements,
): (shape: Shape) => BatchStatements {
  const keptOf = keptByShape(nameOf, make);
  return (shape) => {
    const kept = keptOf(shape);
    if (kept !== undefined) {
      return kept;
    }
    const { several, single } = make(shape);
    return { several: preparedAs(several, ''), single: preparedAs(single, '') };
  };
}

/** Like `statementsByShape`, but returns undefined for shapes that aren't kept. */
export function keptByShape<Shape>(
  nameOf: (shape: Shape) => string,
  make: (shape: Shape) => BatchStatements,
): (shape: Shape) => BatchStatements | undefined {
  const kept = new Map<string, BatchStatements>();
  return (shape) => {
    const name = nameOf(shape);
    const known = kept.get(name);
    if (known !== undefined || kept.size === MAX_SHAPES) {
      return known;
    }
    const { several, single } = make(shape);
    // PostgreSQL's names have 63 characters at most.
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
    const statements = {
      several: preparedAs(several, `${several.name}:${hash}`),
      single: preparedAs(single, `${single.name}:one:${hash}`),
    };
    kept.set(name, statements);
    return statements;
  };
}

function preparedAs(statement: Statement, name: string): Statement {
  return { ...statement, preparedAs: name };
}
