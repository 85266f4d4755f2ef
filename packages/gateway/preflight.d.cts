/** Preloaded by `node -r`: ends a start that cannot work with one sentence that says what to do. */
// oxlint-disable-next-line unicorn/require-module-specifiers -- otherwise it would be no module
export {};
