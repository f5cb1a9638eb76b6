// Block Kit as it stands in a message.

import { h, icon, link } from './dom.js';
import { confirm } from './dialog.js';
import { plain, textObject } from './nodes.js';
import { richText } from './richtext.js';

const renderers = {
  header: (b) => h('div', { class: 'b-header', role: 'heading', 'aria-level': '3' }, plain(b.text)),
  divider: () => h('hr', { class: 'b-divider' }),
  section,
  context: (b, at) => h('div', { class: 'b-context' }, b.elements.map((e) => (e.type === 'image' ? image(e) : textObject(e, at.store)))),
  actions: (b, at) => h('div', { class: 'b-actions' }, b.elements.map((e) => element(e, b, at))),
  image: (b) => image(b),
  rich_text: (b, at) => richText(b, at.store),
};

// blocks shows the blocks of a message. at is {store, message}.
export function blocks(list, at) {
  return h('div', { class: 'blocks' }, list.map((b) => {
    const render = renderers[b.type];
    return render ? render(b, at) : h('div', { class: 'b-unknown' }, `A block of type ${b.type}`);
  }));
}

function section(b, at) {
  const accessory = b.accessory && h('div', { class: 'accessory' }, element(b.accessory, b, at));
  const fields = b.fields && h('div', { class: 'fields' }, b.fields.map((f) => textObject(f, at.store)));
  return h('div', { class: accessory ? 'b-section with-accessory' : 'b-section' }, b.text && textObject(b.text, at.store), accessory, fields);
}

// Images are not fetched: a test message must not call out of the machine.
function image(e) {
  return h('span', { class: 'b-image', role: 'img', 'aria-label': e.alt_text, title: e.image_url }, icon('image'), e.alt_text);
}

function element(e, block, at) {
  if (e.type === 'image') return image(e);
  if (e.type !== 'button') return h('span', { class: 'b-unknown' }, e.type);
  const style = e.style === 'primary' ? 'button primary' : e.style === 'danger' ? 'button danger' : 'button';
  const press = async (event) => {
    const button = event.currentTarget;
    if (button.getAttribute('aria-busy') === 'true') return;
    if (e.confirm && !await confirm(e.confirm, at.store)) return;
    busy(button);
    at.store.click(at.message, block.block_id, e.action_id);
  };
  const props = {
    class: style, 'aria-label': e.accessibility_label, 'data-key': `${block.block_id}/${e.action_id}`, onclick: press,
  };
  if (e.url) return link(e.url, props, plain(e.text));
  return h('button', { ...props, type: 'button' }, plain(e.text));
}

// busy shows that a click is on its way, until the message changes or the app's three seconds are over.
function busy(button) {
  button.setAttribute('aria-busy', 'true');
  setTimeout(() => button.removeAttribute('aria-busy'), 3000);
}
