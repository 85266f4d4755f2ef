/// <reference path="./globals.d.ts" />
import { highlight } from './highlight.js';

/**
 * A reviver for JSON.parse that keeps the digits of every number as sent. Browsers that don't support raw JSON round the numbers.
 *
 * @type {(key: string, value: unknown, context?: { source?: string }) => unknown}
 */
export const keepDigits = (_key, value, { source = '' } = {}) =>
  typeof value === 'number' && 'rawJSON' in JSON ? JSON.rawJSON(source) : value;

/**
 * Shows JSON indented and colored, with the digits of every number as sent.
 *
 * @param {Element} element
 * @param {string} json the JSON, or any other text, which is shown unchanged
 */
export function showJson(element, json) {
  element.textContent = indent(json);
  highlight(element);
}

/** @param {string} json */
function indent(json) {
  // Browsers that would round numbers show the text unchanged.
  if (!('rawJSON' in JSON)) {
    return json;
  }
  try {
    return JSON.stringify(JSON.parse(json, keepDigits), null, 2);
  } catch {
    return json;
  }
}
