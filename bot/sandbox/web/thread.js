// The right side: one thread.

import { h, icon } from './dom.js';
import { Composer } from './composer.js';
import { Timeline } from './timeline.js';

export class ThreadView {
  #back = null; // where the focus goes when the thread is closed
  #shown = null;

  constructor(store) {
    this.store = store;
    this.el = document.getElementById('thread');
    this.app = document.getElementById('app');
    this.where = h('div', { class: 'topic' });
    const list = h('div', { class: 'timeline', role: 'log', 'aria-label': 'Replies', tabindex: 0 });
    this.timeline = new Timeline(list, store, { inThread: true });
    this.composer = new Composer(store, { id: 'composer-thread', thread: () => this.store.thread?.ts, onSent: () => this.timeline.toEnd() });
    this.composer.placeholder('Reply');
    this.foot = h('div', { class: 'foot' }, this.composer.el);
    this.el.append(
      h('header', { class: 'top' }, h('div', { class: 'titles' }, h('h2', {}, 'Thread'), this.where),
        h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close thread', onclick: () => this.close() }, icon('close'))),
      list, this.foot);
    store.addEventListener('thread', (event) => this.#update(event.detail?.opened ?? false));
  }

  get open() {
    return !this.el.hidden;
  }

  close() {
    this.store.closeThread();
    const back = this.#back?.isConnected ? this.#back : document.getElementById('composer-main');
    this.#back = null;
    back?.focus();
  }

  #update(opened) {
    const { thread } = this.store;
    const channel = this.store.current();
    if (opened && !this.open) this.#back = document.activeElement;
    this.el.hidden = !thread;
    this.app.classList.toggle('with-thread', thread !== null);
    if (!thread) {
      this.#shown = null;
      return;
    }
    this.where.textContent = `#${channel?.name ?? ''}`;
    const writable = channel?.is_member && !channel.is_archived && !this.store.me.deleted;
    this.foot.hidden = !writable;
    const fresh = this.#shown !== thread.ts;
    if (fresh) this.composer.clear();
    this.#shown = thread.ts;
    this.timeline.show(thread.messages, { fresh });
    if (opened && writable) this.composer.focus();
  }
}
