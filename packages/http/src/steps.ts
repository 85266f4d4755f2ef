import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { WriteError } from './message/error-writer.ts';

/**
 * A step before a request is answered, as a middleware that needs nothing of Express's: it goes on by `next`, or answers, or
 * fails.
 */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/** Takes these steps in their order, and then calls the listener. */
export function takeSteps(
  steps: readonly Step[],
  listener: RequestListener,
  writeError: WriteError,
): RequestListener {
  return steps.reduceRight<RequestListener>(
    (answer, step) => (request, response) => {
      const fail = (thrown: unknown): void => {
        writeError(thrown, request, response, () => request.socket.destroy());
      };
      const take = async (): Promise<void> => {
        await step(request, response, (error) => {
          if (error == null) {
            answer(request, response);
          } else {
            fail(error);
          }
        });
      };
      take().catch(fail);
    },
    listener,
  );
}
