// Dates as the reader sees them: in their own language and time zone.

// day is a date as 2026-11-30.
const day = (date, tz) => new Intl.DateTimeFormat('en-CA', {
  timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit',
}).format(date);

const shift = (date, days) => new Date(date.getTime() + days * 86400000);

// relativeDay returns Today, Yesterday or Tomorrow, or null.
export function relativeDay(date, now, tz) {
  const d = day(date, tz);
  if (d === day(now, tz)) return 'Today';
  if (d === day(shift(now, -1), tz)) return 'Yesterday';
  if (d === day(shift(now, 1), tz)) return 'Tomorrow';
  return null;
}

export function ago(date, now) {
  const s = Math.round((now - date) / 1000);
  const units = [[60, 1, 'second'], [3600, 60, 'minute'], [86400, 3600, 'hour'], [Infinity, 86400, 'day']];
  const [, size, unit] = units.find(([below]) => Math.abs(s) < below);
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-Math.round(s / size), unit);
}

// formatDate fills Slack's date tokens, such as {date_short_pretty} and {time}. Unknown tokens stay.
export function formatDate(seconds, format, { tz, locale, now = new Date() }) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return null;
  const f = (options) => new Intl.DateTimeFormat(locale, { timeZone: tz, ...options }).format(date);
  const forms = {
    date: () => f({ year: 'numeric', month: 'long', day: 'numeric' }),
    date_num: () => day(date, tz),
    date_slash: () => f({ year: 'numeric', month: '2-digit', day: '2-digit' }),
    date_short: () => f({ year: 'numeric', month: 'short', day: 'numeric' }),
    date_long: () => f({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }),
    date_long_full: () => f({ year: 'numeric', month: 'long', day: 'numeric' }),
    time: () => f({ hour: '2-digit', minute: '2-digit' }),
    time_secs: () => f({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    ago: () => ago(date, now),
    day_divider_pretty: () => relativeDay(date, now, tz) ?? forms.date_long(),
  };
  return format.replace(/\{(\w+)\}/g, (token, name) => {
    const pretty = name.match(/^(date(?:_short|_long)?)_pretty$/);
    if (pretty) return relativeDay(date, now, tz)?.toLowerCase() ?? forms[pretty[1]]();
    return forms[name] ? forms[name]() : token;
  });
}

export const secondsOf = (ts) => Number(ts.split('.')[0]);

export const clock = (ts, who) => formatDate(secondsOf(ts), '{time}', who);

export const fullDate = (ts, who) => formatDate(secondsOf(ts), '{date_long} {time_secs}', who);

export const dayOf = (ts, who) => formatDate(secondsOf(ts), '{day_divider_pretty}', who);
