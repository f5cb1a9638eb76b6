// Dialogs. Whatever lies over the page and takes the focus opens here; views (modals) will, too.

import { h, icon } from './dom.js';
import { plain, textObject } from './nodes.js';

// open shows a dialog and resolves to the value it was closed with, or to null when it was dismissed. The browser keeps
// the focus inside, closes on Escape and gives the focus back.
export function open(title, body, buttons) {
  return new Promise((resolve) => {
    const close = (value) => dialog.close(value);
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' },
      h('div', { class: 'dialog-head' },
        h('h2', { id: 'dialog-title' }, title),
        h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => close('') }, icon('close'))),
      h('div', { class: 'dialog-body' }, body),
      h('div', { class: 'dialog-foot' }, buttons.map((b) => h('button', {
        class: b.class, type: 'button', autofocus: b.focus, onclick: () => close(b.value),
      }, b.label))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) close(''); // the backdrop
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// confirm asks what a confirm object asks, and resolves to true for yes.
export async function confirm(object, store) {
  const danger = object.style === 'danger';
  const answer = await open(plain(object.title), textObject(object.text, store), [
    { label: plain(object.deny), class: 'button', value: 'no', focus: danger },
    { label: plain(object.confirm), class: danger ? 'button danger solid' : 'button primary', value: 'yes', focus: !danger },
  ]);
  return answer === 'yes';
}
