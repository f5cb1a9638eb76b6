// A list of messages that follows the store: rows are made anew only when their message changed, so that the focus and
// the place of reading stay.

import { h, icon } from './dom.js';
import { dayOf, secondsOf } from './dates.js';
import { isSystem, row } from './message.js';

const groupSeconds = 300; // messages of one person within it stand together

export class Timeline {
  #rows = new Map(); // ts -> {message, key, el}
  #inThread;

  constructor(el, store, { inThread = false, onAway = () => {} } = {}) {
    this.el = el;
    this.store = store;
    this.#inThread = inThread;
    this.away = false; // the end is out of sight
    el.addEventListener('scroll', () => {
      this.away = this.#distance() > 120;
      onAway(this.away);
    }, { passive: true });
    this.onAway = onAway;
    el.addEventListener('keydown', (event) => walk(el, event));
    el.addEventListener('focusin', (event) => reach(el, event.target.closest('[data-ts]')));
  }

  #distance() {
    return this.el.scrollHeight - this.el.scrollTop - this.el.clientHeight;
  }

  // show brings the list to these messages. fresh means another channel or thread: it starts at the end.
  show(messages, { fresh = false, target = null, before = () => [] } = {}) {
    const stick = fresh || !this.away;
    if (fresh) this.#rows.clear();
    const key = focusKey(this.el);
    const nodes = this.#nodes(messages, before);
    reconcile(this.el, nodes);
    refocus(this.el, key);
    if (stick) this.toEnd();
    if (target) this.#point(target);
  }

  toEnd() {
    this.el.scrollTop = this.el.scrollHeight;
    this.away = false;
    this.onAway(false);
  }

  #nodes(messages, before) {
    const nodes = [...before(messages)];
    let last = null;
    let day = null;
    const used = new Set();
    for (const message of messages) {
      const itsDay = dayOf(message.ts, this.store.reader());
      if (itsDay !== day && !this.#inThread) nodes.push(h('div', { class: 'day', role: 'separator' }, h('span', {}, itsDay)));
      const compact = last !== null && itsDay === day && together(last, message);
      day = itsDay;
      nodes.push(this.#row(message, compact));
      used.add(message.ts);
      nodes.push(...(this.#inThread && message.ts === this.store.thread?.ts ? [this.#rule(messages)] : []));
      last = message;
    }
    for (const ts of this.#rows.keys()) if (!used.has(ts)) this.#rows.delete(ts);
    return nodes;
  }

  #row(message, compact) {
    const key = `${compact}/${this.store.notices.get(message.ts) ?? ''}`;
    const known = this.#rows.get(message.ts);
    if (known && known.message === message && known.key === key) return known.el;
    const el = row(message, this.store, { compact, inThread: this.#inThread });
    this.#rows.set(message.ts, { message, key, el });
    return el;
  }

  #rule(messages) {
    const n = messages.filter((m) => !m.is_ephemeral).length - 1;
    return h('div', { class: 'reply-rule', role: 'separator' }, n === 0 ? 'No replies yet' : n === 1 ? '1 reply' : `${n} replies`);
  }

  #point(ts) {
    const el = this.#rows.get(ts)?.el;
    if (!el) return;
    el.scrollIntoView({ block: 'center' });
    el.classList.add('target');
  }
}

// walk moves the focus from message to message with the arrow keys.
function walk(el, event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const rows = [...el.querySelectorAll('[data-ts]')];
  const at = rows.indexOf(document.activeElement);
  if (!step || !rows.length || (at < 0 && document.activeElement !== el)) return;
  event.preventDefault();
  const to = at < 0 ? rows.at(-1) : rows[at + step];
  to?.focus();
  to?.scrollIntoView({ block: 'nearest' });
}

// reach lets Tab come to the tools of the message that has the focus, and passes over those of the others.
function reach(el, row) {
  for (const button of el.querySelectorAll('.tools button')) button.tabIndex = row?.contains(button) ? 0 : -1;
}

// nothing is what an empty channel shows.
export const nothing = (title, text) => h('div', { class: 'empty' }, icon('reply'), h('strong', {}, title), h('span', {}, text));

function together(a, b) {
  return a.user === b.user && !a.is_ephemeral && !b.is_ephemeral && !isSystem(a) && !isSystem(b)
    && !a.blocks && !b.blocks && secondsOf(b.ts) - secondsOf(a.ts) < groupSeconds;
}

// reconcile makes the children these nodes, touching only what differs.
function reconcile(el, nodes) {
  const keep = new Set(nodes);
  for (const child of [...el.children]) if (!keep.has(child)) child.remove();
  nodes.forEach((node, i) => {
    if (el.children[i] !== node) el.insertBefore(node, el.children[i] ?? null);
  });
}

function focusKey(el) {
  const active = document.activeElement;
  if (!active || !el.contains(active)) return null;
  const ts = active.closest('[data-ts]')?.dataset.ts;
  return ts ? { ts, key: active.dataset.key } : null; // a row itself has no key
}

// refocus gives the focus back to the control that was made anew, or to the list when it is gone.
function refocus(el, focus) {
  if (!focus || (document.activeElement && document.activeElement !== document.body)) return;
  const row = el.querySelector(`[data-ts="${CSS.escape(focus.ts)}"]`);
  const again = focus.key && row?.querySelector(`[data-key="${CSS.escape(focus.key)}"]`);
  (again || row || el).focus({ preventScroll: true });
}
