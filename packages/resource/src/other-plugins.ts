/** The option that other plugins need here, by their names: without it, they refuse with errors that have no code. */
const NEEDED: Readonly<Record<string, string>> = {
  scopeAuth: 'unauthorizedError',
  validation: 'validationError',
  complexity: 'complexityError',
};

/**
 * Refuses plugins whose refusals would be answered as failures of the service.
 *
 * @throws naming the option that is missing
 */
export function checkOtherPlugins(plugins: readonly string[], options: object): void {
  for (const name of plugins) {
    const needed = NEEDED[name];
    const own: unknown = Reflect.get(options, name);
    const isGiven =
      typeof own === 'object' &&
      own !== null &&
      typeof Reflect.get(own, needed ?? '') === 'function';
    if (needed !== undefined && !isGiven) {
      throw new Error(
        `The plugin ${name} needs the option ${name}.${needed}, which returns an error with a code: clients would get INTERNAL_SERVER_ERROR`,
      );
    }
  }
}
