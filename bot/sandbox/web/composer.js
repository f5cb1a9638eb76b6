// Where a person writes: Enter sends, Shift+Enter makes a new line, ↑ in an empty box brings back the last one sent.

import { h, icon } from './dom.js';
import { complete } from './completion.js';
import { Listbox } from './listbox.js';

export class Composer {
  #store;
  #thread; // function that gives the thread's ts, or null
  #sent = [];

  constructor(store, { id, thread = null, onSent = () => {} }) {
    this.#store = store;
    this.#thread = thread;
    this.onSent = onSent;
    this.box = h('textarea', {
      id, rows: 1, role: 'combobox', 'aria-autocomplete': 'list', spellcheck: 'false', autocomplete: 'off',
      oninput: () => this.#changed(), onkeydown: (event) => this.#key(event), onblur: () => this.list.hide(), onclick: () => this.#suggest(),
    });
    this.list = new Listbox(this.box, 'Suggestions', 'up', (value) => this.#accept(value));
    this.button = h('button', { class: 'send', type: 'submit', 'aria-label': 'Send', title: 'Send' }, icon('send'));
    this.el = h('form', { class: 'composer', onsubmit: (event) => this.#submit(event) }, this.list.el, this.box, this.button);
  }

  placeholder(text) {
    this.box.placeholder = text;
    this.box.setAttribute('aria-label', text);
  }

  focus() {
    this.box.focus();
  }

  clear() {
    this.box.value = '';
    this.#changed();
  }

  #changed() {
    this.box.style.height = 'auto';
    this.box.style.height = `${Math.min(this.box.scrollHeight, 220)}px`;
    this.button.classList.toggle('ready', this.box.value.trim() !== '');
    this.#suggest();
  }

  #suggest() {
    const { selectionStart: at, selectionEnd: end, value } = this.box;
    const choices = at === end && document.activeElement === this.box ? complete(value.slice(0, at), this.#store, this.#thread !== null) : [];
    this.list.show(choices);
  }

  #accept({ from, text }) {
    const at = this.box.selectionStart;
    this.box.setRangeText(text, from, at, 'end');
    this.#changed();
  }

  #key(event) {
    if (event.isComposing) return;
    // A command that is typed out is sent by Enter, though there is something to add.
    const complete = event.key === 'Enter' && this.list.open && !this.list.moved && this.#typedOut();
    if (!complete && !(event.shiftKey && event.key !== 'Escape') && this.list.key(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.#submit(event);
    } else if (event.key === 'ArrowUp' && this.box.value === '' && this.#sent.length) {
      event.preventDefault();
      this.box.value = this.#sent.at(-1);
      this.#changed();
      this.list.hide();
    }
  }

  #typedOut() {
    const { value } = this.box;
    return value.startsWith('/') && (this.list.value?.from > 0 ? /\s$/.test(value) : this.#store.commands.some((c) => c.command === value));
  }

  async #submit(event) {
    event.preventDefault();
    const text = this.box.value.trimEnd();
    if (text.trim() === '') return;
    this.list.hide();
    this.#sent.push(text);
    this.clear();
    this.list.hide();
    this.onSent();
    await this.#store.send(text, this.#thread?.());
  }
}
