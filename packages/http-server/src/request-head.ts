import type { RequestListener } from 'node:http';
import { refusalOf, type Refuse } from './rejection.ts';

/** RFC 9110, 4.1, wants at least 8000 octets to be taken. */
const MAXIMUM_URL_LENGTH = 8000;

/** Bytes of the URL and the headers together. */
export const MAXIMUM_HEAD_BYTES = 16_384;

/** More than clients and the proxies before us add up to. */
const MAXIMUM_HEADERS = 100;

const URL_TOO_LONG = refusalOf(
  'URI_TOO_LONG',
  `The URL is longer than ${MAXIMUM_URL_LENGTH} characters`,
);
export const HEADERS_TOO_LARGE = refusalOf(
  'HEADERS_TOO_LARGE',
  `There are more than ${MAXIMUM_HEADERS} headers, or with the URL they are larger than ${MAXIMUM_HEAD_BYTES} bytes`,
);
/**
 * RFC 9112, 3.2: a host, or nothing, and a port. Several of them are joined with a comma
 * (packages/http-server/src/connection-bounds.ts), which is none.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/i;

const NO_HOST = refusalOf('BAD_USER_INPUT', 'The request must have one valid Host header');

/** Refuses requests whose head is beyond the bounds; Node has cut off what is far beyond them. */
export function boundHeads(listener: RequestListener, refuse: Refuse): RequestListener {
  return (request, response) => {
    const { url = '', rawHeaders, headers, httpVersion } = request;
    if (url.length > MAXIMUM_URL_LENGTH) {
      refuse(request, response, URL_TOO_LONG);
    } else if (rawHeaders.length > 2 * MAXIMUM_HEADERS) {
      refuse(request, response, HEADERS_TOO_LARGE);
    } else if (headers.host === undefined ? httpVersion === '1.1' : !HOST.test(headers.host)) {
      refuse(request, response, NO_HOST);
    } else {
      listener(request, response);
    }
  };
}
