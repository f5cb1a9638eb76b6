// A list of choices that is worked with the arrow keys while the focus stays where it is.

import { h } from './dom.js';

let count = 0;

// Listbox shows items {value, node, group} in a popup beside its owner, the element that has the focus.
export class Listbox {
  #owner;
  #onPick;
  #items = [];
  #active = -1;
  moved = false; // the person has gone through the choices

  constructor(owner, label, place, onPick) {
    this.#owner = owner;
    this.#onPick = onPick;
    this.el = h('div', { class: `popup ${place}`, role: 'listbox', id: `listbox-${++count}`, 'aria-label': label, hidden: true });
    owner.setAttribute('aria-haspopup', 'listbox');
    owner.setAttribute('aria-expanded', 'false');
    owner.setAttribute('aria-controls', this.el.id);
    this.el.addEventListener('mousedown', (event) => event.preventDefault()); // the focus stays with the owner
  }

  get open() {
    return !this.el.hidden;
  }

  get value() {
    return this.#items[this.#active]?.value ?? null;
  }

  show(items, active = 0) {
    if (!items.length) return this.hide();
    this.#items = items;
    this.moved = false;
    let group = null;
    this.el.replaceChildren(...items.flatMap((item, i) => {
      const option = h('div', {
        class: 'option', role: 'option', id: `${this.el.id}-${i}`, 'aria-selected': 'false',
        onclick: () => this.#pick(i), onmousemove: () => this.#activate(i, false),
      }, item.node);
      if (item.class) option.classList.add(item.class);
      const head = item.group && item.group !== group ? [h('div', { class: 'group', role: 'presentation' }, item.group)] : [];
      group = item.group;
      return [...head, option];
    }));
    this.el.hidden = false;
    this.#owner.setAttribute('aria-expanded', 'true');
    this.#activate(active, true);
  }

  hide() {
    this.el.hidden = true;
    this.#items = [];
    this.#active = -1;
    this.#owner.setAttribute('aria-expanded', 'false');
    this.#owner.removeAttribute('aria-activedescendant');
  }

  // key handles a key of the owner and says whether it did.
  key(event) {
    if (!this.open || event.isComposing) return false;
    const n = this.#items.length;
    switch (event.key) {
      case 'ArrowDown': this.#move((this.#active + 1) % n); break;
      case 'ArrowUp': this.#move((this.#active + n - 1) % n); break;
      case 'Home': this.#move(0); break;
      case 'End': this.#move(n - 1); break;
      case 'Enter':
      case 'Tab': this.#pick(this.#active); break;
      case 'Escape': this.hide(); break;
      default: return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #move(i) {
    this.moved = true;
    this.#activate(i, true);
  }

  #activate(i, scroll) {
    if (i === this.#active && !scroll) return;
    const options = this.el.querySelectorAll('[role="option"]');
    options[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = i;
    options[i]?.setAttribute('aria-selected', 'true');
    if (options[i]) this.#owner.setAttribute('aria-activedescendant', options[i].id);
    if (scroll) options[i]?.scrollIntoView({ block: 'nearest' });
  }

  #pick(i) {
    const item = this.#items[i];
    this.hide();
    if (item) this.#onPick(item.value);
  }
}
