/** Pieces of requests that are wrong, doubtful, or of another protocol. */

export const LENGTHS = [
  ...'-1 +5 0x10 5,5 5,6 99999999999999999999 18446744073709551616 1e3 5.0 0 00 4 "5" a'.split(' '),
  '',
  '5 5',
  ' 5',
];
export const CODINGS = [
  ...'chunked Chunked identity gzip,chunked chunked,gzip chunked,chunked xchunked'.split(' '),
  '',
  'chunked;q=1',
  '\u000bchunked',
  'chunked ',
  '"chunked"',
  'chunked, identity',
];
export const METHODS = [
  ...'HEAD OPTIONS PUT DELETE PATCH TRACE CONNECT PRI PROPFIND QUERY M-SEARCH SOURCE PURGE'.split(
    ' ',
  ),
  ...'get gEt GETX G x POST/1.1 __proto__'.split(' '),
  '',
  'A'.repeat(5000),
];
export const TARGETS = [
  ...'* / // /v1//pets http://animals.example/v1/pets HTTP://x:80/graphql?query={__typename}'.split(
    ' ',
  ),
  ...'http://user:password@x/v1/pets animals.example:443 https: http:///v1/pets /v1/../v1/pets'.split(
    ' ',
  ),
  ...'?limit=1 #x /v1/pets#x /%00 /v1/pets;a=b \\v1\\pets //animals.example/v1/pets'.split(' '),
  '',
  '/v1/pets HTTP/1.1',
];
export const VERSIONS = [
  ...'HTTP/1.0 HTTP/0.9 HTTP/2.0 HTTP/3.0 HTTP/1.2 HTTP/1.10 http/1.1 HTTP/1 ICE/1.0 RTSP/1.0 x'.split(
    ' ',
  ),
  '',
];
export const LINE_ENDS = [
  '\n',
  '\r',
  '\n\r',
  '\r\r\n',
  '\0\r\n',
  '\x0b',
  '\x0c',
  '\r\n ',
  '\r\n\t',
  ' \r\n',
];
export const FIELDS = [
  ...'Host: |Host: a b|Host: a@b|Host: a|X y: z|X : y| X: y|: y|X|X:|X\0: y|X: \0|X: \x01'.split(
    '|',
  ),
  ...'Content-Length : 5|Transfer-Encoding : chunked|Connection: close|Connection: Authorization'.split(
    '|',
  ),
  ...'Connection: upgrade|Upgrade: h2c|Upgrade: websocket|HTTP2-Settings: AAMAAABk|Expect: 200-ok'.split(
    '|',
  ),
  ...'Expect: 100-continue|Trailer: Authorization|TE: trailers|Keep-Alive: timeout=99999'.split(
    '|',
  ),
];
