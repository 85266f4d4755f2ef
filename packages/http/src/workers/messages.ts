import { isJsonObject } from '@store-gateway/ops';

/** A message of the supervisor to a worker. */
export type ToWorker =
  /** The first one, with what the environment doesn't say. */
  | 'settings'
  | 'report?'
  | 'alive?'
  /** All workers serve. */
  | 'complete'
  /** The others go on serving; the whole service ends. */
  | 'leave'
  | 'shutdown';

/** A message of a worker to its supervisor. */
export type ToSupervisor =
  /** With its URL. */
  | 'ready'
  /** With the reason. */
  | 'failed'
  /** It was asked to end, and does once it has a successor. */
  | 'leave?'
  /** It accepts no more connections, and ends. */
  | 'leaving'
  | 'alive'
  /** With its text. */
  | 'report';

export interface Message<Type> {
  readonly type: Type;
  readonly content?: unknown;
}

/** Handles messages by their type, and none of somebody else's, such as those of `node --watch`. */
export function messageHandler<Type extends string>(
  handlers: Readonly<Record<Type, (content: unknown) => void>>,
): (message: unknown) => void {
  const byType = new Map<unknown, (content: unknown) => void>(Object.entries(handlers));
  return (message) => {
    const { type, content } = isJsonObject(message) ? message : {};
    byType.get(type)?.(content);
  };
}
