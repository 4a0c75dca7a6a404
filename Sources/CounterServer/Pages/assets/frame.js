// SPDX-License-Identifier: Apache-2.0
// What every page has: the language switch and the dialogue that asks for the token.

import { byId, h } from './dom.js';
import { language, onLanguage, setLanguage, t, translate } from './i18n.js';
import { tokenPrompt } from './api.js';

/** Sets up the page's frame. */
export function setUpFrame() {
  translate();
  const button = byId('language');
  const label = () => {
    const other = language() === 'de' ? 'en' : 'de';
    button.textContent = other === 'de' ? 'Deutsch' : 'English';
    button.lang = other;
    document.title = t(document.documentElement.dataset.title);
  };
  label();
  onLanguage(label);
  button.addEventListener('click', () => setLanguage(language() === 'de' ? 'en' : 'de'));
  tokenPrompt.ask = askForToken;
}

/** Shows the dialogue; null when the person closes it, and the next request asks again. */
function askForToken(wasWrong) {
  const field = h('input', {
    type: 'password', id: 'token-field', autocomplete: 'off', spellcheck: 'false', required: true,
    'aria-describedby': 'token-why',
  });
  const dialog = h('dialog.token', { 'aria-labelledby': 'token-title' },
    h('form', { method: 'dialog' },
      h('h2', { id: 'token-title' }, t('token.title')),
      h('p', { id: 'token-why', className: wasWrong ? 'problem' : '' }, t(wasWrong ? 'token.wrong' : 'token.why')),
      h('label', { for: 'token-field' }, t('token.label')), field,
      h('p.buttons', {},
        h('button.primary', { value: 'ok' }, t('token.use')))));
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'ok' && field.value.trim() ? field.value.trim() : null);
      dialog.remove();
    });
  });
}
