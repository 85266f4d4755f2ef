/**
 * To be imported before the service (`node --import`): it ends as soon as whoever started it is gone, however that
 * went. The other end of its stdin is held open for as long. A worker has no stdin, and ends with its supervisor.
 */
if (process.send === undefined) {
  process.stdin
    .on('end', () => {
      process.kill(process.pid, 'SIGKILL');
    })
    .resume()
    .unref();
}
