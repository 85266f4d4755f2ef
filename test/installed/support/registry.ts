import { createReadStream } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { basename } from 'node:path';
import { manifestOf, packedTarballs } from './tarballs.ts';

export interface Registry extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves this repository's packed packages as a registry would, and no others, because npm uses it only for the scope
 * `@store-gateway`.
 */
export async function serveTarballs(): Promise<Registry> {
  const tarballs = await packedTarballs();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const answer = async (path: string, response: ServerResponse) => {
    const asked = decodeURIComponent(path.slice(1));
    const tarball = tarballs.find(({ name, file }) => name === asked || basename(file) === asked);
    if (tarball === undefined) {
      response.writeHead(404).end('{}');
    } else if (tarball.name === asked) {
      const { name, version } = tarball;
      const versions = { [version]: await manifestOf(tarball, url) };
      response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
    } else {
      createReadStream(tarball.file).pipe(response);
    }
  };
  server.on('request', ({ url: path = '' }, response: ServerResponse) => {
    void answer(path, response);
  });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
