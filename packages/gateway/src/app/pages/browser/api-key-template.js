/* Runs in the browser: the contents of <api-key-field>. */

/** @param {string} prefix the prefix of every key */
export const template = (prefix) => `
  <label for="api-key">API key</label>
  <div class="api-key-row controls">
    <input id="api-key" type="password" autocomplete="off" autocapitalize="off" spellcheck="false"
      placeholder="${prefix}…" aria-describedby="api-key-status" data-1p-ignore data-lpignore="true">
    <div class="api-key-actions">
      <button type="button" name="paste">Paste</button>
      <button type="button" name="show" aria-pressed="false">Show</button>
      <button type="button" name="forget">Forget</button>
    </div>
  </div>
  <div class="api-key-outcome controls">
    <p id="api-key-status" role="status"></p>
    <button type="button" name="change">Change</button>
  </div>`;
