import { ConfigError } from './config/read-config.ts';
import { EncryptionError } from './records/encryption.ts';
import { RecordError } from './records/namespace.ts';
import { SlackStartError } from './slack/connection/slack-error.ts';
import { refusalOf } from './store/redis/errors.ts';
import { damageInWords, StoreError, StoreTroubleError } from './store/store-error.ts';

const FORGET_KEYS = 'npm run admin -- forget-keys --yes, and add the API keys and the opt-outs again.';

const CLUSTER =
  'Redis is a cluster, and the bot needs one server: set REDIS_URL to a Redis without cluster mode.';
const REPLICA =
  'REDIS_URL leads to a replica, which takes no writes: set it to a name that always leads to the primary. If a failover is under way, try again.';
/** What is wrong, by the word with which Redis refuses a command. */
const OF_REFUSALS = new Map([
  ['CROSSSLOT', CLUSTER],
  ['MOVED', CLUSTER],
  ['CLUSTERDOWN', CLUSTER],
  ['READONLY', REPLICA],
]);

/** The sentence for an error at start that an operator can repair; undefined for any other error. */
export function explainStart(error: unknown): string | undefined {
  const isSaid =
    error instanceof ConfigError || error instanceof StoreError || error instanceof SlackStartError;
  if (isSaid) return error.message;
  if (error instanceof StoreTroubleError) {
    const damage = damageInWords(error.cause);
    if (damage !== undefined) return damage;
    const wrong = OF_REFUSALS.get(refusalOf(error) ?? '');
    if (wrong !== undefined) return wrong;
    if (refusalOf(error) === 'NOPERM')
      return `${error.message} Give its user the rights that docs/operating.md names.`;
    const isPassing = error.code === 'late' || error.code === 'refused';
    return isPassing ? `${error.message} Try again once the store works.` : error.message;
  }
  if (error instanceof RecordError) {
    return `${error.message} API keys and opt-outs need it: put a backup back. If there is none: ${FORGET_KEYS}`;
  }
  if (error instanceof EncryptionError) {
    return `ENCRYPTION_KEY does not fit the stored data. ${error.message} First check DATA_DIR and REDIS_URL: they may name another bot’s data. If the key is lost: ${FORGET_KEYS}`;
  }
  return damageInWords(error);
}

/** The sentence for a port or address that the bot can't listen on; undefined for any other error. `ports`: by the variable of each. */
export function explainPort(
  error: unknown,
  ports: { [variable: string]: number | undefined },
): string | undefined {
  const { code, port, syscall } = error as { code?: unknown; port?: unknown; syscall?: unknown };
  const [variable = 'PORT'] = Object.keys(ports).filter((name) => ports[name] === port);
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program: stop it, or set ${variable} to a free one.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${port} may not be used by this account: set ${variable} to one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return 'METRICS_HOST is no address of this machine: set it to one, or leave it out.';
  return undefined;
}
