import { z } from 'zod';
import { isLoopback } from '../sms/base-url.ts';

/** Reads a variable's text as a `T`. The error is a sentence without its subject: the variable's name goes in front. */
type Value<T> = z.ZodType<T, string>;

/** Docker's env files keep quotation marks as part of the value; Node's do not. */
const QUOTED = /^(["']).*\1$/s;

export function required<T>(description: string, value: Value<T>) {
  return variable(description, value).meta({ description, fallback: undefined });
}

/** A variable that may be missing. Then its `fallback` is read in its place; without a fallback the value is undefined. */
export function optional<T, F extends string | undefined>(description: string, fallback: F, value: Value<T>) {
  const given = variable(description, value);
  const schema = fallback === undefined ? given.optional() : given.prefault(fallback);
  type Read = F extends string ? T : T | undefined;
  return (schema as z.ZodType<Read, string | undefined>).meta({ description, fallback });
}

function variable<T>(description: string, value: Value<T>) {
  return z
    .string({ error: `is missing: ${description}.` })
    .refine((text) => !QUOTED.test(text), {
      error: notUsable('it has quotation marks around it; leave them out.'),
      abort: true,
    })
    .pipe(value);
}

export const anyText = z.string();

export function beginsWith(prefix: string): Value<string> {
  // With any other character, each request would fail as if the network were down.
  return z.string().regex(new RegExp(`^${prefix}[!-~]+$`), {
    error: notUsable(
      `it must begin with ${prefix} and have no spaces or accents; make sure that it is not another of the app's tokens.`,
    ),
  });
}

/** A whole number, in digits only. */
export function integer(least: number, most: number): Value<number> {
  const error = notUsable((text) => `${text} is not a whole number from ${least} to ${most}.`);
  return z
    .string()
    .regex(/^\d{1,9}$/, { error })
    .pipe(z.coerce.number<string>().min(least, { error }).max(most, { error }));
}

export const trueOrFalse: Value<boolean> = z.stringbool({
  truthy: ['true'],
  falsy: ['false'],
  case: 'sensitive',
  error: notUsable((text) => `${text} is neither true nor false.`),
});

export function oneOf<const Word extends string>(words: readonly Word[]): Value<Word> {
  return z.enum(words, { error: notUsable((text) => `${text} is not one of ${words.join(', ')}.`) });
}

/** A value that `parse` makes of the text. @param parse throws an error whose message says how to repair the text */
export function parsed<T>(parse: (text: string) => T): Value<T> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: notUsable((error as Error).message)({ input: text }) });
      return z.NEVER;
    }
  });
}

/** The rules of Redis's client, which would throw at anything else. */
export const redisUrl = parsed((text) => {
  const url = URL.parse(text);
  const isRedis = url && /^rediss?:$/.test(url.protocol) && url.hostname && /^(\/\d*)?$/.test(url.pathname);
  if (isRedis && canBeDecoded(url.username) && canBeDecoded(url.password)) return text;
  throw new Error(
    'it must read redis://:PASSWORD@HOST:PORT, or rediss:// with TLS; in a password, write % as %25, / as %2F and # as %23.',
  );
});

function canBeDecoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The base URL of Slack's Web API, with a slash at its end. */
export const slackUrl = parsed((text) => {
  const url = URL.parse(text);
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !safe || url.username || url.password || url.search || url.hash) {
    throw new Error(
      'it must be an https URL (plain http only to this machine) without user, query or fragment.',
    );
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
});

export const slackUsers = parsed((text) => {
  const ids = text.split(',').map((id) => id.trim());
  const wrong = ids.findIndex((id) => !/^[UW][A-Z0-9]+$/.test(id));
  if (wrong < 0) return ids;
  throw new Error(
    `entry ${wrong + 1} is not a Slack user id such as U012AB3CD (a person's profile → ⋮ → Copy member ID).`,
  );
});

/** The sentence for a value that is not usable. The sentence repeats the value only if it is too short to be a secret. */
function notUsable(sentence: string | ((shown: string) => string)) {
  return ({ input }: { input?: unknown }): string => {
    const text = String(input);
    const shown = text.length <= 12 ? JSON.stringify(text) : 'the value';
    return `is not usable: ${typeof sentence === 'string' ? sentence : sentence(shown)}`;
  };
}
