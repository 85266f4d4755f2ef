import { hash } from 'node:crypto';
import { isJsonObject } from '@store-gateway/ops';
import type { Member } from './members.ts';

/** Computes the strong entity tag of a result (RFC 9110, 8.8.3) from the result and its JSON. */
type EntityTagOf = (result: object, body: string) => string;

/**
 * Returns a function that computes entity tags. A tag is a hash of the body, after the row version if there is one. If the body
 * depends only on the row, the tag has a hash of its members' names instead, which is computed once.
 *
 * @param versionKey the key of the row version in the result
 */
export function entityTagsOf(resource: Member, versionKey: string | undefined): EntityTagOf {
  if (versionKey === undefined) {
    return (_result, body) => `"${hashOf(body)}"`;
  }
  const isOfRow = showsRowAlone(resource);
  const ofNames = hashOf(
    JSON.stringify(resource.members.map(({ key, field }) => [key, field.name])),
  );
  return (result, body) => {
    const version = isJsonObject(result) ? result[versionKey] : undefined;
    return `"${encodeURI(String(version))}-${isOfRow ? ofNames : hashOf(body)}"`;
  };
}

/** A row version and a base64 hash. Compressing proxies make the tag weak, or append a suffix such as `-gzip`. */
const OF_ROW = /^(?:W\/)?"(?<version>.*)-[A-Za-z\d+/]{27}=(?:-{1,2}\w+)?"$/;

/** Returns the row version in an entity tag, or undefined if the tag isn't a row's. */
export function versionIn(tag: string): string | undefined {
  const { version } = OF_ROW.exec(tag)?.groups ?? {};
  try {
    return version === undefined ? undefined : decodeURI(version);
  } catch {
    // The tag isn't from this service.
    return undefined;
  }
}

/** Whether a representation depends only on the columns of its row. */
export function showsRowAlone(resource: Member): boolean {
  return resource.members.every(isColumn);
}

/**
 * Whether a member is a column that Pothos exposes, and that has no resolver: another plugin's resolver may hide it from some
 * callers.
 */
function isColumn({ field, members }: Member): boolean {
  return (
    members.length === 0 && field.resolve === undefined && 'pothosExposedField' in field.extensions
  );
}

function hashOf(text: string): string {
  return hash('sha1', text, 'base64');
}
