/** A startup error that the operator can fix. Only its message is shown, on one line. */
export class StartupFailure extends Error {
  override readonly name = 'StartupFailure';
}

/**
 * Returns a StartupFailure that explains why a server can't listen, and names the variable to set.
 *
 * @param prefix the prefix of the variables HOST and PORT
 */
export function listenFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  prefix: '' | 'METRICS_' = '',
): StartupFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [address, portName, hostName] = [`${host}:${port}`, `${prefix}PORT`, `${prefix}HOST`];
  const reason = () => {
    switch (code) {
      case 'EADDRINUSE':
        return `${portName}: ${address} is already in use; set ${portName} to a free port`;
      case 'EACCES':
        return `${portName}: this user may not listen on ${address}; set ${portName} to a port above 1023`;
      default:
        return `${hostName}: cannot listen on ${address} (${String(code ?? error)}); set ${hostName} to an address of this machine`;
    }
  };
  return new StartupFailure(reason(), { cause: error });
}
