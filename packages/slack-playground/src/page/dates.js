// @ts-check

/** British English, for times such as 14:02. */
const LOCALE = 'en-GB';
const DAY_MS = 86_400_000;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** @param {Date} date @param {Intl.DateTimeFormatOptions} options */
const format = (date, options) => new Intl.DateTimeFormat(LOCALE, options).format(date);

/** @param {Date} date */
const time = (date) => format(date, { hour: '2-digit', minute: '2-digit' });

/** @param {Date} date */
const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** "today", "yesterday", "tomorrow" or `otherwise`. @param {Date} date @param {string} otherwise */
function pretty(date, otherwise) {
  const days = Math.round((midnight(date) - midnight(new Date())) / DAY_MS);
  return Math.abs(days) <= 1 ? relative.format(days, 'day') : otherwise;
}

/** @param {Date} date */
function ago(date) {
  const minutes = Math.round((Date.now() - date.getTime()) / 60_000);
  if (Math.abs(minutes) < 60) return relative.format(-minutes, 'minute');
  if (Math.abs(minutes) < 1440) return relative.format(-Math.round(minutes / 60), 'hour');
  return relative.format(-Math.round(minutes / 1440), 'day');
}

/** @type {Record<string, (date: Date) => string>} */
const TOKENS = {
  date_num: (date) =>
    format(date, { year: 'numeric', month: '2-digit', day: '2-digit' }).split('/').reverse().join('-'),
  date: (date) => format(date, { day: 'numeric', month: 'long', year: 'numeric' }),
  date_short: (date) => format(date, { day: 'numeric', month: 'short', year: 'numeric' }),
  date_long: (date) => format(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  date_pretty: (date) => pretty(date, TOKENS.date?.(date) ?? ''),
  date_short_pretty: (date) => pretty(date, TOKENS.date_short?.(date) ?? ''),
  date_long_pretty: (date) => pretty(date, TOKENS.date_long?.(date) ?? ''),
  time,
  time_secs: (date) => format(date, { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  ago,
};

/**
 * A moment in the reader's own time zone, in the format of Slack's date tokens; undefined for an unknown token.
 * `seconds` since 1970. Source: docs.slack.dev/messaging/formatting-message-text.
 * @param {number} seconds
 * @param {string} pattern
 */
export function formatDate(seconds, pattern) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  let known = true;
  const shown = pattern.replace(/\{(\w+)\}/g, (whole, name) => {
    const token = TOKENS[name];
    if (!token) known = false;
    return token?.(date) ?? whole;
  });
  return known ? shown : undefined;
}

/** `14:02`; on another day `4 Mar 14:02`. @param {number} ms */
export function shortTime(ms) {
  const date = new Date(ms);
  if (midnight(date) === midnight(new Date())) return time(date);
  return `${format(date, { day: 'numeric', month: 'short' })} ${time(date)}`;
}
