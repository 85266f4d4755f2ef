import type { RequestListener, ServerResponse } from 'node:http';
import {
  logRequest,
  requestContext,
  type RequestContext,
  recorder,
  pathOf,
} from '@store-gateway/ops';
import type { SurfaceOf } from './request-head.ts';

/** Shorter waits are not logged. */
const MIN_WAIT_MS = 1;

/** Slower requests are always logged. */
const SLOW_MS = 1000;

/**
 * Runs a listener in its request's context, which identifies the request in all log lines, and logs one line when the request
 * ends. Of requests that neither fail nor are slow, it logs a share of `sample`, 0 to 1. `arrivedAt` is the time when the
 * request's head had arrived, by performance.now().
 */
export function createRequestLog(surfaceOf: SurfaceOf, sample: number) {
  return (
    listener: RequestListener,
    response: ServerResponse,
    context: RequestContext,
    arrivedAt: number,
  ): void => {
    const { req: request } = response;
    // Read before Express, whose routers shorten the URL.
    const path = pathOf(request.url ?? '');
    const record = (): void => {
      const durationMs = performance.now() - arrivedAt;
      const { id, traceId, waitedMs = 0, operation = 'other', authentication } = context;
      const status = response.headersSent ? response.statusCode : undefined;
      const labels = {
        surface: surfaceOf(path),
        operation,
        http_response_status_code: status ?? 'none',
      };
      recorder.record(
        'http_server_request_duration_seconds',
        durationMs / 1000,
        context.errorType === undefined ? labels : { ...labels, error_type: context.errorType },
      );
      if (authentication !== undefined) {
        recorder.add('authentications_total', 1, { outcome: authentication });
      }
      if (status === 403 || context.forbidden === true) {
        recorder.add('forbidden_requests_total', 1, { key_id: context.keyId ?? 'none' });
      }
      const aborted = response.writableFinished ? undefined : true;
      const isFailed =
        (status ?? 500) >= 500 || context.errorType !== undefined || aborted === true;
      if (!isFailed && durationMs < SLOW_MS && sample < 1 && Math.random() >= sample) {
        return;
      }
      logRequest({
        requestId: id,
        traceId,
        method: request.method,
        path,
        status,
        durationMs: rounded(durationMs),
        waitedMs: waitedMs < MIN_WAIT_MS ? undefined : rounded(waitedMs),
        keyId: context.keyId,
        deprecated: context.deprecated,
        errorLoggedUnder: context.errorLoggedUnder,
        aborted,
      });
    };
    if (request.socket.destroyed || response.headersSent) {
      // While the request waited, its client disconnected, or a parse error in its body was answered.
      record();
    } else {
      response.prependListener('close', record);
      requestContext.run(context, listener, request, response);
    }
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
