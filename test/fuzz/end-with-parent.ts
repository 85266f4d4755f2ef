/**
 * Ends the service when its parent process is gone for any reason; the parent holds the other end of its stdin open until
 * then. Imported before the service (`node --import`). A worker has no stdin, and ends with its supervisor.
 */
if (process.send === undefined) {
  process.stdin
    .on('end', () => {
      process.kill(process.pid, 'SIGKILL');
    })
    .resume()
    .unref();
}
