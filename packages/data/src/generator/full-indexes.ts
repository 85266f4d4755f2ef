import type { DMMF } from '@prisma/generator-helper';

/** An attribute with a condition, of a block or of a field. Each is on one line. */
const OF_BLOCK = /^\s*@@(?:index|unique)\(.*?\[([^\]]*)\].*\bwhere\s*:/;
const OF_FIELD = /^\s*(\w+)\s.*@unique\(.*\bwhere\s*:/;

/** The indexes of all rows. Which have a condition, only the schema says; any others of the same fields are left out, too. */
export function fullIndexes(indexes: readonly DMMF.Index[], schema: string): DMMF.Index[] {
  const partial = new Set<string>();
  let model = '';
  for (const line of schema.split('\n')) {
    const text = line.replace(/\/\/.*/, '');
    model = /^\s*model\s+(\w+)/.exec(text)?.[1] ?? model;
    const fields = (OF_BLOCK.exec(text) ?? OF_FIELD.exec(text))?.[1];
    if (fields !== undefined) {
      // Without the arguments of each field: its order, its operator class.
      partial.add(nameOf(model, fields.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '').split(',')));
    }
  }
  return indexes.filter(
    (index) =>
      !partial.has(
        nameOf(
          index.model,
          index.fields.map(({ name }) => name),
        ),
      ),
  );
}

function nameOf(model: string, fields: readonly string[]): string {
  return `${model} ${fields.map((field) => field.trim()).join(' ')}`;
}
