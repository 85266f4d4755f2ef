/*
 * Reads the form of an operation.
 */
import { headersOf, targetOf } from './request.js';

/**
 * Returns the request in a form. The body is sent as typed, because JSON.parse would lose digits of large integers.
 *
 * @param {HTMLFormElement} form
 */
export function readForm(form) {
  const { method = '', path = '' } = form.dataset;
  const fields = Array.from(form.elements, (element) => ({
    place: element.getAttribute('data-place') ?? '',
    name: element.getAttribute('name') ?? '',
    value: 'value' in element ? String(element.value) : '',
  }));
  return {
    method,
    target: targetOf(path, fields),
    headers: headersOf(fields),
    body: fields.find(({ place }) => place === 'body')?.value ?? null,
  };
}
