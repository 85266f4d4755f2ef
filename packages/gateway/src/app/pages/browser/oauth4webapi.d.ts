/* The library is served under its name: assets.ts. */
export * from 'oauth4webapi';
