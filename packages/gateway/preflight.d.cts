/** Preloaded by `node -r`: ends a start that cannot work with one sentence that says what to do. */
export {};
