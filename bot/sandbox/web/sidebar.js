// The left side: the workspace, the person one acts as, the channels.

import { avatar, h, icon } from './dom.js';
import { Listbox } from './listbox.js';

export class Sidebar {
  constructor(el, store) {
    this.store = store;
    this.status = h('span', { class: 'status' });
    this.title = h('h1');
    this.button = h('button', {
      class: 'switch', type: 'button', id: 'switch', onclick: () => this.#toggle(), onkeydown: (event) => this.#key(event), onblur: () => this.list.hide(),
    });
    this.list = new Listbox(this.button, 'People', 'down', (user) => store.become(user));
    this.channels = h('nav', { class: 'channels', 'aria-label': 'Channels' });
    el.append(
      h('div', { class: 'brand' }, h('img', { src: '/icon.svg', alt: '', width: 30, height: 30 }), h('div', {}, this.title, this.status)),
      h('div', { class: 'switcher' }, h('span', { class: 'label', id: 'switch-label' }, 'You act as'), this.button, this.list.el),
      this.channels);
    store.addEventListener('state', () => this.#all());
    store.addEventListener('presence', () => this.#status());
    store.addEventListener('channel', () => this.#channels());
    store.addEventListener('unread', () => this.#channels());
  }

  #all() {
    this.title.textContent = this.store.team.name;
    const me = this.store.me;
    this.button.replaceChildren(avatar(me), this.#who(me), icon('chevron'));
    this.button.setAttribute('aria-label', `You act as ${me.real_name}, ${role(me, this.store)}. Choose another person`);
    this.#status();
    this.#channels();
  }

  #status() {
    const { app, online } = this.store;
    this.status.replaceChildren(h('span', { class: online ? 'dot on' : 'dot' }), `${app.name} ${online ? 'is connected' : 'is not connected'}`);
    this.status.title = online === 1 ? '1 Socket Mode connection' : `${online} Socket Mode connections`;
  }

  #toggle() {
    if (this.list.open) return this.list.hide();
    const people = [...this.store.users.values()].filter((u) => !u.is_bot);
    this.list.show(people.map((u) => ({ value: u.id, class: 'person', node: this.#person(u) })), people.findIndex((u) => u.id === this.store.me.id));
  }

  #person(u) {
    return [avatar(u), this.#who(u), u.id === this.store.me.id && h('span', { class: 'check' }, icon('check'))].filter(Boolean);
  }

  #who(u) {
    return h('span', { class: 'who' }, h('span', { class: 'name' }, u.real_name), h('span', { class: 'role' }, role(u, this.store)));
  }

  #key(event) {
    if (this.list.key(event)) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      this.#toggle();
    }
  }

  #channels() {
    const { store } = this;
    if (!store.me) return;
    const active = document.activeElement?.dataset?.channel;
    const mine = store.channels.filter((c) => c.is_member && !c.is_archived);
    const others = store.channels.filter((c) => !c.is_member || c.is_archived);
    this.channels.replaceChildren(h('h2', {}, 'Channels'), this.#group(mine), ...(others.length ? [h('h2', {}, 'More'), this.#group(others)] : []));
    if (active) this.channels.querySelector(`[data-channel="${CSS.escape(active)}"]`)?.focus();
    const unread = store.channels.filter((c) => store.unread(c)).length;
    const current = store.current();
    document.title = `${unread ? `(${unread}) ` : ''}${current ? `#${current.name} · ` : ''}${store.team.name}`;
  }

  #group(channels) {
    return h('ul', {}, channels.map((c) => {
      const here = c.id === this.store.channel;
      const unread = !here && this.store.unread(c);
      const classes = ['channel', unread && 'unread', !c.is_member && 'outside'].filter(Boolean).join(' ');
      return h('li', {}, h('button', {
        class: classes, type: 'button', 'data-channel': c.id, 'aria-current': here ? 'page' : null, onclick: () => this.store.openChannel(c.id),
      }, icon(channelIcon(c)), h('span', { class: 'name' }, c.name), unread && h('span', { class: 'unread-dot' }, h('span', { class: 'sr' }, 'unread'))));
    }));
  }
}

export const channelIcon = (c) => (c.is_archived ? 'box' : c.is_private ? 'lock' : c.is_ext_shared ? 'globe' : 'hash');

// role says in a few words what kind of account it is, and in which groups.
export function role(u, store) {
  if (u.deleted) return 'Deactivated';
  if (u.is_stranger) return 'Of another organisation';
  if (u.is_ultra_restricted) return 'Guest of one channel';
  if (u.is_restricted) return 'Guest';
  const groups = store.groups.filter((g) => g.users.includes(u.id)).map((g) => `@${g.handle}`);
  return groups.length ? `Member · ${groups.join(' ')}` : 'Member';
}
