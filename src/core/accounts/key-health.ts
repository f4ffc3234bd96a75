import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { Json } from '../../ledger/model/json.ts';
import { createShortMemory } from '../short-cache.ts';
import { instanceState } from '../state-names.ts';
import { TOPICS } from '../topics.ts';
import { HEALTH_EVERY_MS, type Instance, type Instances, type KeyHealthSeen } from './instances.ts';
import { type KeyTrouble, storedTrouble } from './key-trouble.ts';
import type { Links } from './links.ts';
import { type ChannelNews, readersInstead, whoToTell } from './who-to-tell.ts';

/** A key's notice, to one channel or one person. */
export const KeyNotice = z.object({
  team: z.string(),
  to: z.union([z.object({ channel: z.string() }), z.object({ user: z.string() })]),
  /** The instance's id. Rows of an earlier version have none. */
  instance: z.string().optional(),
  instanceName: z.string(),
  keyHint: z.string(),
  works: z.boolean(),
  /** The key does not work, since it belongs to another account by now. */
  otherAccount: z.literal(true).optional(),
});
export type KeyNotice = z.infer<typeof KeyNotice>;

/** The named states of a key that has trouble. */
const STATES: { [trouble in KeyTrouble]: string } = {
  key_refused: 'refused',
  other_account: 'other_account',
};

export type KeyHealth = ReturnType<typeof createKeyHealth>;

/** Tells people once when nobody may use a key any more, and once when it works again. */
export function createKeyHealth(deps: {
  ledger: Ledger;
  instances: Instances;
  links: Links;
  /** User ids told directly, beside who added and linked the instance. */
  admins: readonly string[];
}) {
  const { ledger, instances, links } = deps;
  /** Keys that were recorded as working lately. */
  const worked = createShortMemory<true>(HEALTH_EVERY_MS, ledger.now);

  async function note(instance: Instance, health: KeyHealthSeen): Promise<void> {
    const trouble = health === 'works' || health === 'accepted' ? undefined : health;
    const works = !trouble;
    if (trouble) worked.delete(nameOf(instance));
    if (!(await instances.noteKeyHealth(instance, health))) return;
    const { team, id: instanceId, name: instanceName, keyHint } = instance;
    const name = instanceState('key', instance);
    const alert = await ledger.namedState(name);
    const from = alert?.state ?? 'works';
    const to = trouble ? STATES[trouble] : 'works';
    if (from === to) return;

    const count = z.object({ count: z.number() }).safeParse(alert?.details).data?.count ?? 0;
    const linked = await links.ofInstance(instance);
    const people = await whoToTell(deps, instance);
    const notice = (reader: KeyNotice['to'], id: string, news: ChannelNews = {}): Announcement => ({
      id: `${TOPICS.keyHealth}:${team}/${instanceId}:${count}:${to}:${id}`,
      topic: TOPICS.keyHealth,
      subject: instanceId,
      details: {
        team,
        to: reader,
        instance: instanceId,
        instanceName,
        keyHint,
        works,
        ...(trouble && storedTrouble(trouble)),
        ...news,
      } satisfies KeyNotice as Json,
    });
    const announcements = [
      ...linked.map((link) =>
        notice({ channel: link.channel }, link.channel, { instead: readersInstead(link, deps.admins) }),
      ),
      ...[...people].map((user) => notice({ user }, user)),
    ];
    await ledger.changeState(name, {
      from: alert?.state,
      to,
      details: { count: works ? count : count + 1 },
      isOver: works,
      announcements,
    });
  }

  return {
    note,
    /** The service accepted a request with this key. As `note`, but at most once a minute. */
    async noteSent(instance: Instance): Promise<void> {
      const key = nameOf(instance);
      if (worked.get(key)) return;
      const noted = ledger.now();
      await note(instance, 'accepted');
      worked.set(key, true, noted);
    },
  };
}

function nameOf({ team, id, keyFingerprint }: Instance): string {
  return `${team}/${id}/${keyFingerprint}`;
}
