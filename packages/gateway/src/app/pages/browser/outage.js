/*
 * Runs in the browser, on every page that sends requests. A script whose fetch was rejected dispatches `service-unreachable` on
 * the window. The page then reports the outage, and polls the service until it responds. Then this script dispatches
 * `service-reachable`, after which the other scripts continue.
 */
import { find } from './find.js';
import { SERVICE } from './key-check.js';

const SENTENCE = 'The service does not respond. This page continues automatically when it does.';
const FIRST_DELAY_MS = 2000;
const MAX_DELAY_MS = 10_000;
/** Timeout of a poll. */
const TIMEOUT_MS = 5000;

const banner = find('#outage', HTMLElement);
let isOut = false;
let isAsking = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;

const tryNow = document.createElement('button');
tryNow.type = 'button';
tryNow.textContent = 'Try now';
tryNow.addEventListener('click', () => {
  if (!isAsking) {
    clearTimeout(next);
    void ask(FIRST_DELAY_MS);
  }
});

window.addEventListener('service-unreachable', () => {
  if (!isOut) {
    isOut = true;
    banner.replaceChildren(SENTENCE, ' ', tryNow);
    askIn(FIRST_DELAY_MS);
  }
});

/** @param {number} delay in milliseconds */
function askIn(delay) {
  next = setTimeout(() => void ask(delay), delay);
}

/** @param {number} delay */
async function ask(delay) {
  isAsking = true;
  const isBack = await answers();
  isAsking = false;
  if (isBack) {
    isOut = false;
    if (document.activeElement === tryNow) {
      const main = find('main', HTMLElement);
      main.tabIndex = -1;
      main.focus();
    }
    banner.replaceChildren();
    window.dispatchEvent(new Event('service-reachable'));
  } else {
    askIn(Math.min(1.5 * delay, MAX_DELAY_MS));
  }
}

/**
 * Whether the service responds. During an outage, a proxy may respond with its own error; it may also deny browsers access to
 * /livez.
 */
async function answers() {
  try {
    const response = await fetch(new URL('livez', SERVICE), {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.status < 500;
  } catch {
    return false;
  }
}
