/* Runs in the browser, on the page to which the identity provider redirects people. */
import { signInPage, completeSignIn, sentenceOf } from './authorization.js';
import { find } from './find.js';

const outcome = find('#outcome', HTMLElement);
const back = find('#back', HTMLAnchorElement);

async function complete() {
  outcome.textContent = 'Signing in…';
  back.href = signInPage();
  try {
    await completeSignIn();
    // Replaces this page in the history, because going back to it would be useless.
    location.replace(back.href);
  } catch (error) {
    outcome.textContent = sentenceOf(error);
    find('.actions', HTMLElement).hidden = false;
  }
}

void complete();
