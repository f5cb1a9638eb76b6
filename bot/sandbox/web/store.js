// What the page knows: the workspace as one person sees it. Parts of the page listen to it.

import { Refusal, follow, get, post } from './api.js';

const readKey = (user, channel) => `read/${user}/${channel}`;

// Store fires "state", "channel", "messages", "thread", "presence", "stream" and "error".
export class Store extends EventTarget {
  me = null;
  team = null;
  app = null;
  users = new Map();
  groups = [];
  channels = [];
  commands = [];
  online = 0;
  channel = null; // id
  messages = []; // of the channel
  thread = null; // {ts, messages}
  notices = new Map(); // ts of the message -> text
  target = null; // ts of a message to show
  connected = true;
  #stop = () => {};
  #loads = new Set(); // of what arrives during each load
  #turn = 0; // counts loads, so that a late answer does not overwrite a newer one

  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  // reader is whose eyes dates are for.
  reader() {
    return { tz: this.me.tz || undefined, locale: this.me.locale || 'en-GB' };
  }

  current() {
    return this.channels.find((c) => c.id === this.channel) ?? null;
  }

  // become loads the workspace as a person. Nothing of the one before is shown any more once it is there.
  async become(user, { target = null } = {}) {
    this.#stop();
    const turn = ++this.#turn;
    const state = await get('state', { user });
    const seen = state.channels.find((c) => c.id === this.channel) ?? state.channels.find((c) => c.is_member) ?? state.channels[0];
    const messages = seen ? (await get('messages', { user: state.me.id, channel: seen.id })).messages : [];
    if (turn !== this.#turn) return;
    const fresh = target !== null || state.me.id !== this.me?.id || seen?.id !== this.channel;
    const keep = seen?.id === this.channel ? this.thread?.ts : null;
    this.#take(state);
    Object.assign(this, { channel: seen?.id ?? null, messages, target });
    if (fresh) this.thread = null;
    this.#stop = follow(this.me.id, state.seq, (change) => this.#apply(change), (up) => {
      this.connected = up;
      this.#fire('stream');
    });
    this.#fire('state');
    this.#fire('channel');
    this.#read();
    this.#fire('messages', { fresh });
    this.#fire('thread');
    if (keep) await this.openThread(keep, false);
  }

  #take(state) {
    if (state.me.id !== this.me?.id) this.notices.clear();
    const { team, app, groups, channels, commands, online } = state;
    Object.assign(this, { team, app, groups, channels, commands, online });
    this.users = new Map(state.users.map((u, hue) => [u.id, { ...u, hue }]));
    this.me = this.users.get(state.me.id);
    sessionStorage.setItem('person', this.me.id);
  }

  async openChannel(id, target = null) {
    const turn = ++this.#turn;
    try {
      await this.#load('messages', { user: this.me.id, channel: id }, (messages) => {
        if (turn !== this.#turn) return;
        const fresh = id !== this.channel || target !== null;
        if (id !== this.channel) this.thread = null;
        Object.assign(this, { channel: id, messages, target });
        this.#read();
        this.#fire('channel');
        this.#fire('messages', { fresh });
        this.#fire('thread');
      });
    } catch (error) {
      this.#complain(error);
    }
  }

  async openThread(ts, opened = true) {
    const turn = this.#turn;
    try {
      await this.#load('thread', { user: this.me.id, channel: this.channel, ts }, (messages) => {
        if (turn === this.#turn) this.thread = { ts, messages };
      });
    } catch (error) {
      this.thread = null;
      if (error.code !== 'thread_not_found') this.#complain(error);
    }
    this.#fire('thread', { opened });
  }

  // load asks for messages and hands them over; what happened to messages in the meantime is done to them again.
  async #load(what, query, use) {
    const arrived = [];
    this.#loads.add(arrived);
    try {
      use((await get(what, query)).messages);
    } finally {
      this.#loads.delete(arrived);
    }
    for (const change of arrived) this.#apply(change);
  }

  closeThread() {
    this.thread = null;
    this.#fire('thread');
  }

  async send(text, thread) {
    await this.#do('send', { channel: this.channel, text, thread_ts: thread ?? '' });
  }

  click(message, blockID, actionID) {
    this.notices.delete(message.ts);
    return this.#do('click', { channel: this.channel, ts: message.ts, block_id: blockID, action_id: actionID });
  }

  react(message, name) {
    return this.#do('react', { channel: this.channel, ts: message.ts, name });
  }

  async join(channel) {
    await this.#do('join', { channel });
    await this.refresh();
  }

  async #do(what, body) {
    try {
      await post(what, { user: this.me.id, ...body });
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  // refresh loads the workspace again without leaving the channel.
  async refresh() {
    await this.become(this.me.id);
  }

  unread(channel) {
    return channel.is_member && channel.latest > (sessionStorage.getItem(readKey(this.me.id, channel.id)) ?? '');
  }

  #read() {
    const channel = this.current();
    if (!channel || document.hidden) return;
    sessionStorage.setItem(readKey(this.me.id, channel.id), channel.latest);
    this.#fire('unread');
  }

  read() {
    this.#read();
  }

  #complain(error) {
    this.#fire('error', error instanceof Refusal ? error.code : 'offline');
  }

  #apply(change) {
    if (change.type.startsWith('message')) for (const arrived of this.#loads) arrived.push(change);
    switch (change.type) {
      case 'message':
      case 'message_changed': return this.#applyMessage(change);
      case 'message_deleted': return this.#applyDeleted(change);
      case 'presence':
        this.online = change.online ?? 0;
        return this.#fire('presence');
      case 'notice':
        this.notices.set(change.ts, change.text);
        this.#fire('messages', {});
        return this.#fire('thread');
      default: return this.refresh(); // members, user, reset: seldom, and much can follow from them
    }
  }

  #applyMessage({ channel, message }) {
    const known = this.channels.find((c) => c.id === channel);
    const inChannel = message.is_ephemeral ? !message.thread_ts
      : !message.thread_ts || message.thread_ts === message.ts || message.subtype === 'thread_broadcast';
    if (known && inChannel && message.ts > known.latest) known.latest = message.ts;
    if (channel === this.channel) {
      this.notices.delete(message.ts);
      if (inChannel) {
        put(this.messages, message);
        this.#read();
        this.#fire('messages', {});
      }
      if (this.thread && (message.ts === this.thread.ts || message.thread_ts === this.thread.ts)) {
        put(this.thread.messages, message);
        this.#fire('thread');
      }
    }
    this.#fire('unread');
  }

  #applyDeleted({ channel, ts }) {
    if (channel !== this.channel) return;
    this.messages = this.messages.filter((m) => m.ts !== ts);
    this.#fire('messages', {});
    if (!this.thread) return;
    if (this.thread.ts === ts) this.thread = null;
    else this.thread.messages = this.thread.messages.filter((m) => m.ts !== ts);
    this.#fire('thread');
  }
}

// put adds a message in its place by ts, or replaces it.
function put(list, message) {
  const at = list.findIndex((m) => m.ts >= message.ts);
  if (at < 0) list.push(message);
  else list.splice(at, list[at].ts === message.ts ? 1 : 0, message);
}
