/*
 * Runs in the browser: the fields that a query is written in and run until GraphiQL has come. That takes seconds on a slow
 * phone, and its start blocks the page meanwhile: it waits until the user pauses.
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

/** When a pause of the user begins, on the clock of `performance.now()`: at no known time while a query runs. */
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

/** The response as JSON. */
async function answer() {
  const headers = objectOf('request-headers.json');
  if (headers === undefined || objectOf('variables.json') === undefined) {
    return errorResult('Variables and headers must be JSON objects.');
  }
  const query = JSON.stringify(textOf('operation.graphql'));
  // As it was written: parsed numbers would lose digits.
  const variables = textOf('variables.json').trim() || '{}';
  try {
    return await run(`{"query":${query},"variables":${variables}}`, Object.entries(headers));
  } catch (error) {
    // Of a header that no request may have.
    return errorResult(error instanceof Error ? error.message : String(error));
  }
}

/** Waits until no query runs, and the user has not typed for a while. */
export async function typingPause() {
  while (performance.now() < pauseStart) {
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

/** Puts GraphiQL, which is ready and not seen yet, in the place of the plain editor, with its texts and the focus. */
export function showGraphiQL() {
  const focused = document.activeElement;
  const response = document.querySelector('.graphiql-response');
  if (form === null || response === null) {
    return;
  }
  for (const name of EDITORS) {
    const field = fieldOf(name);
    // The query in any case: GraphiQL then tells which tab it is in.
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

/** @param {Element} focused an element of the plain editor */
function moveFocus(focused) {
  const name = focused.getAttribute('name');
  const editor = monaco.editor
    .getEditors()
    .find((candidate) => candidate.getModel()?.uri.path.endsWith(name ?? 'none'));
  const model = editor?.getModel();
  if (editor === undefined || model == null) {
    // The response bar is the same one.
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
