// rich_text blocks: sections, lists, quotes and preformatted text.

import { h, link } from './dom.js';
import { broadcast, channelMention, dateText, emoji, groupMention, userMention } from './nodes.js';

export function richText(block, store) {
  return h('div', { class: 'rich' }, block.elements.map((part) => richPart(part, store)));
}

function richPart(part, store) {
  switch (part.type) {
    case 'rich_text_section': return h('p', {}, spans(part.elements, store));
    case 'rich_text_preformatted': return h('pre', {}, spans(part.elements, store));
    case 'rich_text_quote': return h('blockquote', {}, spans(part.elements, store));
    case 'rich_text_list': return list(part, store);
    default: return h('p', { class: 'b-unknown' }, part.type);
  }
}

function list(part, store) {
  const ordered = part.style === 'ordered';
  const items = part.elements.map((item) => h('li', {}, spans(item.elements, store)));
  return h(ordered ? 'ol' : 'ul', {
    class: part.indent ? `indent-${Math.min(part.indent, 4)}` : null, start: ordered && part.offset ? part.offset + 1 : null,
  }, items);
}

const spans = (elements, store) => elements.map((element) => styled(span(element, store), element.style));

function span(element, store) {
  switch (element.type) {
    case 'text': return element.text;
    case 'link': return link(element.url, {}, element.text || element.url);
    case 'emoji': return emoji(element.name);
    case 'user': return userMention(element.user_id, store);
    case 'usergroup': return groupMention(element.usergroup_id, store);
    case 'channel': return channelMention(element.channel_id, store);
    case 'broadcast': return broadcast(element.range);
    case 'date': return dateText({ seconds: element.timestamp, format: element.format, url: element.url, fallback: element.fallback }, store);
    case 'color': return h('code', {}, element.value);
    default: return '';
  }
}

const marks = [['code', 'code'], ['bold', 'strong'], ['italic', 'em'], ['strike', 's'], ['underline', 'u']];

function styled(node, style) {
  for (const [name, tag] of marks) if (style?.[name]) node = h(tag, {}, node);
  return node;
}
