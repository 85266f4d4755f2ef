import { hash } from 'node:crypto';
import { isJsonObject } from '@gateway/exact-json/json';

/**
 * The strong entity tag of a representation (RFC 9110, 8.8.3): its hash, behind the version of the row that it is of.
 *
 * @param versionKey where the version is in the result
 */
export function entityTag(body: string, value: object, versionKey: string | undefined): string {
  const version = versionKey !== undefined && isJsonObject(value) ? value[versionKey] : undefined;
  const prefix = typeof version === 'string' ? `${encodeURI(version)}-` : '';
  return `"${prefix}${hash('sha1', body, 'base64')}"`;
}

/** The version in a strong entity tag; a hash in base64 has no hyphen. */
export function versionIn(tag: string): string | undefined {
  const end = tag.lastIndexOf('-');
  if (tag.startsWith('W/') || end < 0) {
    return undefined;
  }
  try {
    return decodeURI(tag.slice(1, end));
  } catch {
    // None of ours.
    return undefined;
  }
}
