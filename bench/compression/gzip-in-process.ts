import { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';

/*
 * Preloaded into a gateway: compresses the bodies that it sends, in zlib's threads, at the level in this module's URL. Responses
 * that share another's have their headers written already and stay as they are; under the measured load there are hardly any.
 */

/** Smaller ones would hardly get smaller. */
const MIN_LENGTH = 1000;

const level = Number(new URL(import.meta.url).searchParams.get('level'));
// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const end: (this: ServerResponse, body?: unknown) => ServerResponse = ServerResponse.prototype.end;

Object.assign(ServerResponse.prototype, {
  end(this: ServerResponse, body?: unknown) {
    if (typeof body !== 'string' || body.length < MIN_LENGTH || this.headersSent) {
      return end.call(this, body);
    }
    gzip(body, { level }, (error, compressed) => {
      if (error === null) {
        this.setHeader('Content-Encoding', 'gzip');
        this.setHeader('Content-Length', compressed.length);
      }
      end.call(this, error === null ? compressed : body);
    });
    return this;
  },
});
