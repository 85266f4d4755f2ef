/* The library is served under its name: frame.ts. */
export * from 'oauth4webapi';
