// Building DOM nodes. Everything that comes from outside becomes a text node or an attribute value, never markup.

const SVG = 'http://www.w3.org/2000/svg';

// h makes an element. Properties that begin with "on" are listeners; false and null are left out.
export function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? '' : String(value));
  }
  append(el, children);
  return el;
}

export function append(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const shapes = {
  hash: ['M9 4 7 20', 'M17 4l-2 16', 'M4.500 9h16', 'M3.500 15h16'],
  lock: ['M7 11V8a5 5 0 0 1 10 0v3', 'M5.500 11h13v9h-13z'],
  box: ['M4 5h16v4H4z', 'M5.500 9v10h13V9', 'M10 13h4'],
  globe: ['M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z', 'M3 12h18', 'M12 3c3 3 3 15 0 18', 'M12 3c-3 3-3 15 0 18'],
  close: ['M6 6l12 12', 'M18 6 6 18'],
  menu: ['M4 7h16', 'M4 12h16', 'M4 17h16'],
  send: ['M4.500 12 20 4.500 15 20l-3.500-6.500z', 'M11.500 13.500 20 4.500'],
  reply: ['M5 5h14v10h-8l-4 4v-4H5z'],
  eye: ['M2.500 12C6 6 18 6 21.500 12 18 18 6 18 2.500 12z', 'M12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z'],
  people: ['M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z', 'M3.500 19c0-6 11-6 11 0', 'M16 6a2.800 2.800 0 0 1 0 5.500', 'M17.500 14.200c2 .6 3 2.300 3 4.800'],
  chevron: ['M7 10l5 5 5-5'],
  check: ['M5 12.500 10 17 19 7'],
  warn: ['M12 4 2.800 20h18.400z', 'M12 10v4.500', 'M12 17.200v.1'],
  image: ['M4 5h16v14H4z', 'M4 16l5-5 4 4 3-3 4 4'],
  down: ['M12 5v14', 'M6 13l6 6 6-6'],
};

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  for (const d of shapes[name]) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}

// safeURL returns an address that may stand in a link, or null: scripts and data may not.
export function safeURL(url) {
  try {
    const u = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(u.protocol) ? u.href : null;
  } catch {
    return null;
  }
}

// link makes a link that opens apart from the page, or plain text when the address is not safe.
export function link(url, props, ...children) {
  const href = safeURL(url);
  if (!href) return h('span', props, ...children);
  return h('a', { ...props, href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

export function initials(name) {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [...words[0]][0] + [...words.at(-1)][0] : [...name].slice(0, 2).join('');
  return letters.toUpperCase();
}

// avatar is a square with initials, in the person's colour.
export function avatar(user, small = false) {
  const kind = user.is_bot ? 'app-avatar' : `hue-${(user.hue ?? 7) % 8}`;
  const classes = ['avatar', kind, small && 'small', user.deleted && 'off'].filter(Boolean).join(' ');
  return h('span', { class: classes, 'aria-hidden': 'true' }, initials(user.real_name || user.name));
}
