// The middle: a channel's head, its messages, and where one writes or why one cannot.

import { h, icon } from './dom.js';
import { Composer } from './composer.js';
import { channelIcon } from './sidebar.js';
import { Timeline, nothing } from './timeline.js';

export class ChannelView {
  constructor(store, onMenu) {
    this.store = store;
    this.top = document.getElementById('top');
    this.foot = document.getElementById('foot');
    this.jump = h('button', {
      class: 'button primary jump', type: 'button', hidden: true, onclick: () => this.timeline.toEnd(),
    }, icon('down'), 'Newest messages');
    this.timeline = new Timeline(document.getElementById('timeline'), store, {
      onAway: (away) => { this.jump.hidden = !away; },
    });
    this.composer = new Composer(store, { id: 'composer-main', onSent: () => this.timeline.toEnd() });
    this.menu = h('button', {
      class: 'icon-button menu-button', type: 'button', 'aria-label': 'Channels and people', onclick: onMenu,
    }, icon('menu'));
    this.hint = h('div', { class: 'hint' },
      keys(['/'], 'commands'), keys(['@'], 'people'), keys(['Enter'], 'send'), keys(['Shift', 'Enter'], 'new line'));
    store.addEventListener('state', () => this.#frame());
    store.addEventListener('channel', () => this.#frame());
    store.addEventListener('messages', (event) => this.#messages(event.detail));
    store.addEventListener('stream', () => this.#frame());
  }

  #frame() {
    const channel = this.store.current();
    if (!channel) {
      this.top.replaceChildren(this.menu);
      this.foot.replaceChildren();
      return;
    }
    const n = channel.members.length;
    this.top.replaceChildren(this.menu,
      h('div', { class: 'titles' },
        h('h2', {}, icon(channelIcon(channel)), channel.name,
          channel.is_archived && h('span', { class: 'tag' }, 'Archived'),
          channel.is_ext_shared && h('span', { class: 'tag' }, 'Shared')),
        h('div', { class: 'topic', title: channel.topic }, channel.topic)),
      h('div', { class: 'members', title: this.#names(channel) }, icon('people'), n, h('span', { class: 'sr' }, 'members')));
    this.composer.placeholder(`Message #${channel.name}`);
    const banner = this.#banner(channel);
    const focused = document.activeElement === this.composer.box;
    const want = banner ? [this.jump, banner] : [this.jump, this.composer.el, this.hint];
    const there = this.composer.el.parentNode === this.foot && this.foot.children.length === want.length;
    if (banner || !there) this.foot.replaceChildren(...want);
    if (focused) this.composer.focus();
  }

  #names(channel) {
    return channel.members.map((id) => this.store.users.get(id)?.real_name ?? id).join(', ');
  }

  #banner(channel) {
    const { me, connected } = this.store;
    const say = (...content) => h('div', { class: 'banner', role: 'note' }, ...content);
    if (!connected) return say(icon('warn'), h('span', {}, 'Connection lost. Trying again …'));
    if (me.deleted) return say(icon('lock'), h('span', {}, `${me.real_name} is deactivated. This account can look around here, but not act.`));
    if (channel.is_archived) return say(icon('box'), h('span', {}, 'This channel is archived. It can be read, not written to.'));
    if (!channel.is_member) {
      return say(icon('hash'), h('span', {}, `You are looking at #${channel.name}.`),
        h('button', { class: 'button primary', type: 'button', onclick: () => this.store.join(channel.id) }, 'Join channel'));
    }
    return null;
  }

  #messages({ fresh = false }) {
    const { messages, target } = this.store;
    const channel = this.store.current();
    if (!channel) return;
    const advice = this.#banner(channel) ? 'Nothing was written here.' : 'Write something, or begin with / to give a command.';
    this.timeline.show(messages, {
      fresh, target: fresh ? target : null,
      before: (all) => (all.length ? [] : [nothing(`#${channel.name} is quiet`, advice)]),
    });
  }
}

const keys = (names, what) => h('span', {}, names.map((k, i) => [i ? '+' : '', h('kbd', {}, k)]), ` ${what}`);
