import { Window } from 'happy-dom';

// React looks for them when it is loaded.
const window = new Window();
Object.assign(globalThis, {
  window,
  document: window.document,
  MutationObserver: window.MutationObserver,
});
