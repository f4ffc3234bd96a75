import { unusable } from '../store-error.ts';
import { type Ask, createAsk } from './ask.ts';
import type { RedisClient } from './connect.ts';
import { refusalOf } from './errors.ts';

/** A Redis that is asked to remember must not forget: a lost `sending` mark would text somebody twice. */
const NEEDED = {
  appendonly: 'yes',
  appendfsync: 'always',
  // Otherwise `always` does not hold during a rewrite of the file, and the bot itself asks for rewrites.
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
};

/** The words with which Redis refuses a command to this user, or to everybody. */
const HIDES = ['NOPERM', 'ERR'];

/**
 * Refuses a Redis that may lose what it acknowledged.
 * @throws StoreError that names the settings; StoreTroubleError if it does not answer, or is out of reach
 */
export async function refuseVolatile(client: RedisClient): Promise<void> {
  const ask = createAsk(client, 'its settings');
  const wrong: string[] = [];
  for (const [name, needed] of Object.entries(NEEDED)) {
    const current = await setting(ask, name);
    if (current !== needed) wrong.push(`${name} ${needed} (now ${current})`);
  }
  if (wrong.length === 0) return;
  throw unusable(
    `Redis may forget what was sent, and somebody would be texted twice: set ${wrong.join(', ')}, or accept that with REDIS_ALLOW_VOLATILE=true.`,
  );
}

async function setting(ask: Ask, name: string): Promise<string> {
  try {
    const [, value = 'not known'] = (await ask('CONFIG', 'GET', name)) as string[];
    return value;
  } catch (error) {
    // Hosted Redis often hides its settings. One that is out of reach, or busy, or wants a password, hides nothing.
    if (HIDES.includes(refusalOf(error) ?? '')) return 'not readable';
    throw error;
  }
}
