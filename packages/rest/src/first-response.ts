import { hash } from 'node:crypto';
import { getNamedType, isAbstractType, print, type DocumentNode } from 'graphql';
import { isJsonObject } from '@store-gateway/ops';
import type { Member } from './members.ts';

/** Where what writes were first answered with is kept, by callers and idempotency keys, as long as the keys. */
export interface ResponseStore<Caller> {
  /** Does without it rather than failing. */
  readonly keep: (caller: Caller, key: string, response: string) => Promise<void>;
  /** What was kept; undefined if nothing was. */
  readonly find: (caller: Caller, key: string) => Promise<string | undefined>;
}

/** A write under a key, and the document that shows what was written. */
interface KeyedWrite<Caller> {
  readonly responses: ResponseStore<Caller>;
  readonly caller: Caller;
  readonly key: string;
  readonly document: DocumentNode;
}

/** What depends on what was written. */
export interface Shown {
  /** JSON. */
  readonly body: string;
  readonly etag: string | undefined;
  readonly location: string | undefined;
}

/** Whether it shows what is declared to depend on the caller, or may be: it may be hidden from them by now. */
export function dependsOnCaller({ field, members }: Member): boolean {
  return (
    field.extensions.shared === false ||
    isAbstractType(getNamedType(field.type)) ||
    members.some(dependsOnCaller)
  );
}

/** Bytes of a body. */
const MAX_KEPT = 65_536;

/** Keeps the first response to a write, unless its body is too large. */
export async function keepFirst<Caller>(
  { responses, caller, key, document }: KeyedWrite<Caller>,
  shown: Shown,
): Promise<void> {
  if (Buffer.byteLength(shown.body) <= MAX_KEPT) {
    await responses.keep(caller, key, JSON.stringify({ ...shown, by: hashOf(document) }));
  }
}

/** Undefined if none is kept, or one that another document has shown, as before a deployment. */
export async function findFirst<Caller>({
  responses,
  caller,
  key,
  document,
}: KeyedWrite<Caller>): Promise<Shown | undefined> {
  const text = await responses.find(caller, key);
  const kept: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isJsonObject(kept) || typeof kept['body'] !== 'string' || kept['by'] !== hashOf(document)) {
    return undefined;
  }
  const { body, etag, location } = kept;
  return { body, etag: textOf(etag), location: textOf(location) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const hashes = new WeakMap<DocumentNode, string>();

function hashOf(document: DocumentNode): string {
  const known = hashes.get(document) ?? hash('sha1', print(document), 'base64');
  hashes.set(document, known);
  return known;
}
