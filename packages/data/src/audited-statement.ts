/**
 * Expects a raw statement to write no rows of audited tables, as far as its text tells: it names none, or it is a SELECT,
 * which can't begin with a WITH that writes.
 *
 * @param args of Prisma's methods: a text, or a template and its values, whose pieces of SQL count
 * @throws TypeError that says what to do instead
 */
export function expectReadOnly(
  tables: readonly string[],
  method: string,
  args: readonly unknown[],
): void {
  const text = args.map(sqlOf).join(' ');
  const lower = text.toLowerCase();
  const table = tables.find((name) => lower.includes(name.toLowerCase()));
  if (table !== undefined && !/^\s*select\b/.test(lower)) {
    throw new TypeError(
      `${method} can't write ${table}, whose rows are audited: use create, update or delete of its model; a statement that begins with SELECT may read it`,
    );
  }
}

function sqlOf(part: unknown, index: number): string {
  if (typeof part === 'string') {
    // Only the first is SQL: the others are values.
    return index === 0 ? part : '';
  }
  if (Array.isArray(part)) {
    return index === 0 ? part.join(' ') : '';
  }
  const sql: unknown = part instanceof Object ? Reflect.get(part, 'sql') : undefined;
  return typeof sql === 'string' ? sql : '';
}
