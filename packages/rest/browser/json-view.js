/// <reference path="./globals.d.ts" />
import { highlight } from './highlight.js';

/**
 * For JSON.parse: keeps the digits of every number as they were sent. Browsers that can't round them.
 *
 * @type {(key: string, value: unknown, context?: { source?: string }) => unknown}
 */
export const keepDigits = (_key, value, { source = '' } = {}) =>
  typeof value === 'number' && 'rawJSON' in JSON ? JSON.rawJSON(source) : value;

/**
 * Shows JSON indented and coloured, with the digits of every number as they were sent.
 *
 * @param {Element} element
 * @param {string} json or any other text, which stays as it is
 */
export function showJson(element, json) {
  element.textContent = indent(json);
  highlight(element);
}

/** @param {string} json */
function indent(json) {
  // Browsers that round numbers show the text as it was sent.
  if (!('rawJSON' in JSON)) {
    return json;
  }
  try {
    return JSON.stringify(JSON.parse(json, keepDigits), null, 2);
  } catch {
    return json;
  }
}
