import { Window } from 'happy-dom';

// React reads these globals when it is loaded.
const window = new Window();
Object.assign(globalThis, {
  window,
  document: window.document,
  MutationObserver: window.MutationObserver,
});
