import { hash } from 'node:crypto';
import { isJsonObject } from '@store-gateway/ops';
import type { Member } from './members.ts';

/** Makes the strong entity tag of a result (RFC 9110, 8.8.3) from the JSON that represents it. */
type EntityTagOf = (result: object, body: string) => string;

/**
 * The tag is the hash of the body; behind the row's version, if there is one. Where the body follows from the row alone, the
 * hash of its members' names is enough, and is made once.
 *
 * @param versionKey where the version is in the result
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

/** A version and a hash in base64. Proxies that compress make the tag weak, or add `-gzip` or the like to it. */
const OF_ROW = /^(?:W\/)?"(?<version>.*)-[A-Za-z\d+/]{27}=(?:-{1,2}\w+)?"$/;

/** The version in an entity tag of a row; undefined for any other tag. */
export function versionIn(tag: string): string | undefined {
  const { version } = OF_ROW.exec(tag)?.groups ?? {};
  try {
    return version === undefined ? undefined : decodeURI(version);
  } catch {
    // None of ours.
    return undefined;
  }
}

/** Whether a representation follows from the columns of its row alone. */
export function showsRowAlone(resource: Member): boolean {
  return resource.members.every(isColumn);
}

/** Whether a member is a column, which Pothos notes of those that are exposed, as it is: another plugin may hide it from some. */
function isColumn({ field, members }: Member): boolean {
  return (
    members.length === 0 && field.resolve === undefined && 'pothosExposedField' in field.extensions
  );
}

function hashOf(text: string): string {
  return hash('sha1', text, 'base64');
}
