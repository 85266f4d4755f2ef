/* The library is served under its own name (frame.ts). */
export * from 'oauth4webapi';
