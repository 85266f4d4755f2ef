/*
 * Runs in the browser: the plain editor, in which queries can be written and run until GraphiQL has loaded. Loading takes
 * seconds on a slow phone. Starting GraphiQL blocks the page, so GraphiQL starts only when the user pauses.
 */
import { showJson } from '../json-view.js';
import { fieldOf, modelOf, objectOf, setText, textOf } from './editors.js';
import { errorResult, run } from './fetcher.js';
import { giveIdempotencyKey } from './idempotency-key.js';
import { placeResponseBar, scrollToResponse } from './response-bar.js';

/** @typedef {import('./editors.js').EditorName} EditorName */

const PAUSE_MS = 1000;
const POLL_MS = 100;

/** @type {readonly EditorName[]} */
const EDITORS = ['operation.graphql', 'variables.json', 'request-headers.json', 'response.json'];

const form = document.querySelector('#plain-editor');
const root = document.querySelector('#root');

/** The `performance.now()` from which the user counts as idle; Infinity while a query runs. */
let pauseStart = 0;

/**
 * @param {string} query
 * @param {string} variables
 */
export function startPlainEditor(query, variables) {
  setInitialText('operation.graphql', query);
  setInitialText('variables.json', variables);
  const response = form?.querySelector('.response');
  const button = form?.querySelector('button');
  if (!(form instanceof HTMLFormElement) || response == null || button == null) {
    return;
  }
  placeResponseBar(response);
  for (const type of ['keydown', 'pointerdown', 'input']) {
    document.addEventListener(type, () => {
      pauseStart = Math.max(pauseStart, performance.now() + PAUSE_MS);
    });
  }
  form.addEventListener('input', giveIdempotencyKey);
  form.addEventListener('keydown', (event) => {
    const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isRun) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void execute();
  });
  button.disabled = false;
}

/**
 * @param {EditorName} name
 * @param {string} text
 */
function setInitialText(name, text) {
  const field = fieldOf(name);
  if (field !== undefined) {
    field.defaultValue = text;
  }
}

/** Runs the query, unless one is running. */
async function execute() {
  const output = fieldOf('response.json');
  if (pauseStart === Infinity || output === undefined) {
    return;
  }
  pauseStart = Infinity;
  setText('response.json', '');
  showJson(output, await answer());
  pauseStart = performance.now() + PAUSE_MS;
}

/** Sends the query. Returns the response as JSON. */
async function answer() {
  const headers = objectOf('request-headers.json');
  if (headers === undefined || objectOf('variables.json') === undefined) {
    return errorResult('Variables and headers must be JSON objects.');
  }
  const query = JSON.stringify(textOf('operation.graphql'));
  // The text is sent unchanged, because parsed numbers would lose digits.
  const variables = textOf('variables.json').trim() || '{}';
  try {
    return await run(`{"query":${query},"variables":${variables}}`, Object.entries(headers));
  } catch (error) {
    // Thrown for a header that browsers don't allow.
    return errorResult(error instanceof Error ? error.message : String(error));
  }
}

/** Waits until no query is running and the user is idle. */
export async function typingPause() {
  while (performance.now() < pauseStart) {
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

/** Replaces the plain editor with GraphiQL, which is ready but hidden, and moves the texts and the focus to it. */
export function showGraphiQL() {
  const focused = document.activeElement;
  const response = document.querySelector('.graphiql-response');
  if (form === null || response === null) {
    return;
  }
  for (const name of EDITORS) {
    const field = fieldOf(name);
    // The query is always set, because GraphiQL then reports which tab is open.
    if (
      field !== undefined &&
      (name === 'operation.graphql' || field.value !== field.defaultValue)
    ) {
      modelOf(name)?.setValue(field.value);
    }
  }
  const hasResponse = textOf('response.json') !== '';
  const wasFocused = focused !== null && form.contains(focused);
  placeResponseBar(response);
  form.remove();
  root?.removeAttribute('inert');
  if (hasResponse) {
    scrollToResponse();
  }
  if (wasFocused) {
    moveFocus(focused);
  }
}

/** @param {Element} focused the focused element of the plain editor */
function moveFocus(focused) {
  const name = focused.getAttribute('name');
  const editor = monaco.editor
    .getEditors()
    .find((candidate) => candidate.getModel()?.uri.path.endsWith(name ?? 'none'));
  const model = editor?.getModel();
  if (editor === undefined || model == null) {
    // The response bar has moved to GraphiQL, so it can keep the focus.
    const successor = focused.isConnected
      ? focused
      : root?.querySelector('.graphiql-execute-button');
    if (successor instanceof HTMLElement) {
      successor.focus();
    }
    return;
  }
  if (focused instanceof HTMLTextAreaElement) {
    const start = model.getPositionAt(focused.selectionStart);
    const end = model.getPositionAt(focused.selectionEnd);
    editor.setSelection({
      startLineNumber: start.lineNumber,
      startColumn: start.column,
      endLineNumber: end.lineNumber,
      endColumn: end.column,
    });
  }
  editor.focus();
}
