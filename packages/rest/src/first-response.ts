import { hash } from 'node:crypto';
import { getNamedType, isAbstractType, print, type DocumentNode } from 'graphql';
import { isJsonObject } from '@store-gateway/ops';
import type { Member } from './members.ts';

/** Stores the first responses to writes by caller and idempotency key, for as long as the key is stored. */
export interface ResponseStore<Caller> {
  /** Stores a response. It must not reject if that fails. */
  readonly keep: (caller: Caller, key: string, response: string) => Promise<void>;
  /** Returns the stored response, or undefined if there is none. */
  readonly find: (caller: Caller, key: string) => Promise<string | undefined>;
}

/** A write with an idempotency key, and the document that selects the response. */
interface KeyedWrite<Caller> {
  readonly responses: ResponseStore<Caller>;
  readonly caller: Caller;
  readonly key: string;
  readonly document: DocumentNode;
}

/** The parts of a response that depend on the written row. */
export interface Shown {
  /** The body, as JSON. */
  readonly body: string;
  readonly etag: string | undefined;
  readonly location: string | undefined;
}

/** Whether a member or one below it depends on the caller, or may depend on it: it may be hidden from the caller by now. */
export function dependsOnCaller({ field, members }: Member): boolean {
  return (
    field.extensions.shared === false ||
    isAbstractType(getNamedType(field.type)) ||
    members.some(dependsOnCaller)
  );
}

/** Maximum size of a stored body, in bytes. */
const MAX_KEPT = 65_536;

/** Stores the first response to a write, unless its body is too large. */
export async function keepFirst<Caller>(
  { responses, caller, key, document }: KeyedWrite<Caller>,
  shown: Shown,
): Promise<void> {
  if (Buffer.byteLength(shown.body) <= MAX_KEPT) {
    await responses.keep(caller, key, JSON.stringify({ ...shown, by: hashOf(document) }));
  }
}

/**
 * Finds the first response to a write. Returns undefined if none is stored, or if it was selected by another document, for
 * example before a deployment.
 */
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
