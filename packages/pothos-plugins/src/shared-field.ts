import 'graphql';

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /**
     * Set on a field of Query that tells every caller the same and notes nothing of who asks: those who
     * ask for the same at a time may be answered by one reading.
     */
    sameForEveryone?: true;
  }
}
