import { isJsonObject } from '@gateway/exact-json/json';

/** What a supervisor tells a worker. */
export type ToWorker =
  /** The first one: what the environment doesn't say. */
  | { readonly type: 'settings'; readonly settings: unknown }
  | { readonly type: 'report?' }
  | { readonly type: 'alive?' }
  /** As many workers serve as there are to be. */
  | { readonly type: 'complete' }
  /** The others go on serving; the whole service ends. */
  | { readonly type: 'leave' }
  | { readonly type: 'shutdown' };

/** What a worker tells its supervisor. */
export type ToSupervisor =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'failed'; readonly reason: string }
  /** It was asked to end, and does once it has a successor. */
  | { readonly type: 'leave?' }
  /** It accepts no more connections, and ends. */
  | { readonly type: 'leaving' }
  | { readonly type: 'alive' }
  | { readonly type: 'report'; readonly report: string };

/** Undefined for a message of somebody else's, such as those of `node --watch`. */
export function readToWorker(message: unknown): ToWorker | undefined {
  const { type, settings } = isJsonObject(message) ? message : {};
  switch (type) {
    case 'settings':
      return { type, settings };
    case 'report?':
    case 'alive?':
    case 'complete':
    case 'leave':
    case 'shutdown':
      return { type };
    default:
      return undefined;
  }
}

/** Undefined for a message of somebody else's, such as those of `node --watch`. */
export function readToSupervisor(message: unknown): ToSupervisor | undefined {
  const { type, url, reason, report } = isJsonObject(message) ? message : {};
  switch (type) {
    case 'ready':
      return { type, url: String(url) };
    case 'failed':
      return { type, reason: String(reason) };
    case 'leave?':
    case 'leaving':
    case 'alive':
      return { type };
    case 'report':
      return { type, report: String(report) };
    default:
      return undefined;
  }
}
