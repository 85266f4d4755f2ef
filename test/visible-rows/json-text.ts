const NUMBERS = /^(?:code|rank|rankFrom|rankBefore|limit|first|last)$/;
const IDS = /^(?:folderId|parentId|topicId|noteId|ownerId)$/;

/** A value of this name, as REST has it in JSON. */
export function json(name: string, value: string): unknown {
  return NUMBERS.test(name) || IDS.test(name) ? Number(value) : value;
}

/** The same as a literal of GraphQL. */
export function literal(name: string, value: string): string {
  return NUMBERS.test(name) ? value : JSON.stringify(value);
}
