import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import { LinkChange } from '../../../src/core/accounts/link-change.ts';
import { countryOf, createLinks, type Link } from '../../../src/core/accounts/links.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { LedgerTap } from '../../helpers/core-ledger.ts';
import { settings } from '../../helpers/core-people.ts';
import {
  ACME_KEY_TOO,
  ANY_LINK,
  addInstance,
  boot,
  createBooks,
  createCoreWorld,
  linkTo,
  saveLimits,
} from '../../helpers/core-world.ts';
import { onceRead } from '../../helpers/two-bots.ts';

async function start() {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const books = createBooks(booted);
  const instance = await addInstance(books);
  return { ...booted, world, ...books, instance, another: createBooks(booted) };
}

/** What channels heard since the last time: which channel, from which instance, and who unlinked it. */
async function heard(ledger: Ledger): Promise<string[]> {
  const news: string[] = [];
  for (;;) {
    const token = `heard-${Math.random()}`;
    const row = await ledger.takeDue(token, 10_000);
    if (!row) return news;
    const { channel, instanceName, by } = LinkChange.parse(row.details);
    news.push(`${channel} from ${instanceName} by ${by}`);
    await ledger.markPosted(row.id, token, null);
  }
}

/** The bot dies as it tells a channel, `times` times, just before or just after the channel hears of it. */
function dieTelling(tap: LedgerTap, times: number, when: 'before' | 'after' = 'before'): void {
  let left = times;
  tap.intercept('changeState', (real) => async (...change) => {
    left -= 1;
    if (left < 0) return real(...change);
    if (when === 'after') await real(...change);
    throw new Error('the bot died');
  });
}

const SEND = {
  team: 'T1',
  channelId: 'C-sales',
  details: {},
  topics: [],
  expiresInMs: 900_000,
  chunks: [[{ phone: '442079460958', text: 'Hi' }]],
};

describe('a link', () => {
  test('joins a channel to an instance, with the settings that the form starts with', async () => {
    const { links, instance } = await start();
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
    const link = await linkTo({ links }, instance);
    expect(link).toMatchObject({
      instanceId: instance.id,
      threshold: 100,
      whoCanSend: 'everyone',
      guests: false,
      receiptLine: true,
      linkedBy: 'U-admin',
    });
    expect(await links.find('T1', 'C-sales')).toEqual({ link, instance });
    expect(await links.find('T2', 'C-sales')).toBeUndefined();
    expect(await links.ofInstance(instance)).toEqual([link]);
  });

  test('is found as another bot has just changed it, however lately this one has read it', async () => {
    const { links, instance, another } = await start();
    const other = await addInstance(another, ACME_KEY_TOO, 'Other');
    await linkTo({ links }, instance);
    for (const of of [instance, other, instance]) {
      const link = await linkTo(another, of);
      expect(await links.find('T1', 'C-sales')).toEqual({ link, instance: of });
      expect(await links.find('T1', 'C-sales')).toEqual({ link, instance: of });
    }
    await another.instances.noteKeyHealth(instance, 'key_refused');
    expect((await links.find('T1', 'C-sales'))?.instance.keyRefusedAt).toBeDefined();
    await another.links.remove(await linkTo(another, instance), 'U-admin');
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
  });

  test('is not made with an instance that another admin removes at the same time', async () => {
    const { links, instances, instance } = await start();
    expect(await instances.remove(instance)).toEqual({ kind: 'removed' });
    const made = {
      team: 'T1',
      channel: 'C-sales',
      instance,
      settings: settings(),
      by: 'U-admin',
      isAsShown: ANY_LINK,
    };
    expect(await links.save(made)).toBeUndefined();
    expect(await links.list('T1')).toEqual([]);
  });

  test('keeps its limits and its settings, whoever saves which of them at the same moment', async () => {
    const { links, instance } = await start();
    const link = await linkTo({ links }, instance);
    const limits = { ...NO_LIMITS, monthlyBudget: 10 };
    await Promise.all([
      saveLimits({ links }, link, limits),
      links.save({
        team: 'T1',
        channel: 'C-sales',
        instance,
        settings: settings({ threshold: 5 }),
        by: 'U-other',
        isAsShown: ANY_LINK,
      }),
    ]);
    expect((await links.find('T1', 'C-sales'))?.link).toEqual({ ...link, threshold: 5, limits });
  });

  test('is saved by one of two people who see the same link at the same moment', async () => {
    const { links, another, instance } = await start();
    const link = await linkTo({ links }, instance);
    const isAsShown = (now: Link | undefined) => isDeepStrictEqual(now, link);
    const save = (of: typeof links, threshold: number) =>
      of.save({
        ...{ team: 'T1', channel: 'C-sales', instance, by: 'U-other' },
        settings: settings({ threshold }),
        isAsShown,
      });
    const saved = await Promise.all([save(links, 7), save(another.links, 8)]);
    const [won, ...others] = saved.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect((await links.find('T1', 'C-sales'))?.link).toEqual(won);
    const limits = { ...NO_LIMITS, monthlyBudget: 10 };
    expect(await links.saveSettings(link, settings({ threshold: 9 }), isAsShown)).toBe(false);
    expect(await links.saveLimits(link, limits, isAsShown, async () => true)).toBe(false);
    expect((await links.find('T1', 'C-sales'))?.link).toEqual(won);
  });

  test('keeps the instance that somebody chose while its settings were being saved', async () => {
    const { links, instances, instance } = await start();
    const link = await linkTo({ links }, instance, { topUpUrl: 'https://pay.example/', country: 'GB' });
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    await linkTo({ links }, other);
    await links.saveSettings(link, settings({ threshold: 7 }), ANY_LINK);
    const now = await links.find('T1', 'C-sales');
    expect(now).toMatchObject({ instance: { id: other.id }, link: { threshold: 7 } });
    for (const gone of ['topUpUrl', 'country']) expect(now?.link).not.toHaveProperty(gone);
  });

  test('that is being removed keeps limits that were saved meanwhile; a removed one stays removed', async () => {
    const { links, instance } = await start();
    const link = await linkTo({ links }, instance);
    const limits = { ...NO_LIMITS, monthlyBudget: 10 };
    await saveLimits({ links }, link, limits);
    await links.removeWhenDone(link, 'U-admin');
    expect((await links.find('T1', 'C-sales'))?.link).toMatchObject({ limits, leaving: { by: 'U-admin' } });
    await links.remove(link, 'U-admin');
    await links.removeWhenDone(link, 'U-admin');
    await saveLimits({ links }, link, limits);
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
  });

  test('remembers who linked the channel when somebody changes its settings', async () => {
    const { links, instance, world } = await start();
    const before = await linkTo({ links }, instance);
    world.time.advance(5000);
    const changed = await links.save({
      team: 'T1',
      channel: 'C-sales',
      instance,
      settings: settings({ threshold: 5 }),
      by: 'U-other',
      isAsShown: ANY_LINK,
    });
    expect(changed).toEqual({ ...before, threshold: 5 });
  });

  test('forgets a default country that is taken away, and knows no country that does not exist', async () => {
    const { links, instance } = await start();
    expect(countryOf(await linkTo({ links }, instance, { country: 'DE' }))).toBe('DE');
    const without = await linkTo({ links }, instance);
    expect(without).not.toHaveProperty('country');
    expect(countryOf(without)).toBeUndefined();
    expect(countryOf(await linkTo({ links }, instance, { country: 'ZZ' }))).toBeUndefined();
    expect(countryOf(undefined)).toBeUndefined();
  });

  test('keeps open drafts when settings change, and expires them when another instance would pay', async () => {
    const { links, instances, instance, ledger } = await start();
    await linkTo({ links }, instance);
    await ledger.draft({ ...SEND, id: 's1', instance: instance.id, kind: 'single' });
    await linkTo({ links }, instance, { threshold: 7 });
    expect((await ledger.find('s1'))?.state).toBe('draft');
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    const moved = await links.save({
      team: 'T1',
      channel: 'C-sales',
      instance: other,
      settings: settings(),
      by: 'U-other',
      isAsShown: ANY_LINK,
    });
    expect(moved?.linkedBy).toBe('U-other');
    expect((await ledger.find('s1'))?.state).toBe('expired');
  });
});

describe('taking a link away', () => {
  test('expires open drafts and lets confirmed sends go on', async () => {
    const { links, instance, ledger } = await start();
    const link = await linkTo({ links }, instance);
    for (const id of ['s1', 's2', 's3']) {
      await ledger.draft({ ...SEND, id, instance: instance.id, kind: 'single' });
    }
    await ledger.decide('s3', { to: 'running', by: 'U1' });
    expect(await links.remove(link, 'U-admin')).toEqual({ kind: 'removed', drafts: 2 });
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
    const states = await Promise.all(['s1', 's2', 's3'].map(async (id) => (await ledger.find(id))?.state));
    expect(states).toEqual(['expired', 'expired', 'running']);
  });

  test('is refused while a job of the channel runs or is paused', async () => {
    const { links, instance, ledger } = await start();
    const link = await linkTo({ links }, instance);
    const elsewhere = await linkTo({ links }, instance, {}, 'C-other');
    await ledger.draft({ ...SEND, id: 'j1', instance: instance.id, kind: 'job' });
    await ledger.decide('j1', { to: 'running', by: 'U1' });
    expect(await links.remove(link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
    await ledger.pause('j1', 'a person');
    expect(await links.remove(link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
    expect(await links.find('T1', 'C-sales')).toBeDefined();
    expect((await links.remove(elsewhere, 'U-admin')).kind).toBe('removed');
    await ledger.stop('j1');
    expect((await links.remove(link, 'U-admin')).kind).toBe('removed');
  });

  test('takes none away that somebody made while it looked for jobs, nor marks it to go', async () => {
    const { links, instances, instance, tap } = await start();
    const link = await linkTo({ links }, instance);
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    let isFirst = true;
    tap.intercept('openSends', (real) => async (id) => {
      if (isFirst) await linkTo({ links }, other);
      isFirst = false;
      return real(id);
    });
    expect(await links.remove(link, 'U-admin')).toEqual({ kind: 'changed' });
    expect(await links.removeWhenDone(link, 'U-admin')).toBe(false);
    const now = await links.find('T1', 'C-sales');
    expect(now?.instance.id).toBe(other.id);
    expect(now?.link.leaving).toBeUndefined();
  });

  test('that comes back, since a job began meanwhile, does not replace a new one', async () => {
    const { links, instances, instance, ledger, tap } = await start();
    const link = await linkTo({ links }, instance);
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    await ledger.draft({ ...SEND, id: 'j1', instance: instance.id, kind: 'job' });
    tap.intercept('expireDrafts', (real) => async (...of) => {
      await ledger.decide('j1', { to: 'running', by: 'U1' });
      await linkTo({ links }, other);
      return real(...of);
    });
    expect(await links.remove(link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
    expect((await links.find('T1', 'C-sales'))?.instance.id).toBe(other.id);
  });

  test('is refused, too, if somebody confirms a job just before its drafts expire', async () => {
    const { links, instance, ledger, tap } = await start();
    const link = await linkTo({ links }, instance);
    await ledger.draft({ ...SEND, id: 'j1', instance: instance.id, kind: 'job' });
    tap.intercept('expireDrafts', (real) => async (...of) => {
      await ledger.decide('j1', { to: 'running', by: 'U1' });
      return real(...of);
    });
    expect(await links.remove(link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
    expect((await links.find('T1', 'C-sales'))?.link).toEqual(link);
  });

  test('is refused, too, while a job runs that the channel’s earlier instance pays for', async () => {
    const { links, instances, instance, ledger } = await start();
    await linkTo({ links }, instance);
    await ledger.draft({ ...SEND, id: 'j1', instance: instance.id, kind: 'job' });
    await ledger.decide('j1', { to: 'running', by: 'U1' });
    const now = await linkTo({ links }, await addInstance({ instances }, ACME_KEY_TOO, 'Acme too'));
    expect(await links.remove(now, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
    await links.removeWhenDone(now, 'U-other');
    await links.removeDone();
    expect(await heard(ledger)).toEqual([]);
    await ledger.stop('j1');
    await links.removeDone();
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
  });
});

describe('a link that is removed once its jobs are done', () => {
  test('stays if somebody links the channel again while the round looks for jobs', async () => {
    const { links, instance, ledger, tap } = await start();
    const link = await linkTo({ links }, instance);
    await links.removeWhenDone(link, 'U-other');
    tap.intercept('openSends', (real) => async (...asked) => {
      const open = await real(...asked);
      await linkTo({ links }, instance, { threshold: 7 });
      return open;
    });
    await links.removeDone();
    expect(await heard(ledger)).toEqual([]);
    expect((await links.find('T1', 'C-sales'))?.link).toMatchObject({ threshold: 7 });
  });

  test('stays if its settings or its instance are saved again', async () => {
    const { links, instances, instance } = await start();
    const save = (now: typeof instance) => linkTo({ links }, now, { threshold: 7 });
    await links.removeWhenDone(await linkTo({ links }, instance), 'U-other');
    expect(await save(instance)).not.toHaveProperty('leaving');
    await links.removeWhenDone(await linkTo({ links }, instance), 'U-other');
    expect(await save(await addInstance({ instances }, ACME_KEY_TOO, 'Acme too'))).not.toHaveProperty(
      'leaving',
    );
  });

  test('is removed in the next round, which says so; a damaged one keeps no other', async () => {
    const { links, instance, ledger, records } = await start();
    for (const channel of ['C-a', 'C-b', 'C-c']) await linkTo({ links }, instance, {}, channel);
    for (const channel of ['C-a', 'C-b']) {
      const { link } = (await links.find('T1', channel)) ?? expect.unreachable();
      await links.removeWhenDone(link, 'U-other');
    }
    await records.links.set('T1/C-a', { team: 'T1' } as never);
    await expect(links.removeDone()).rejects.toThrow('could not be removed');
    expect(await heard(ledger)).toEqual(['C-b from Acme by U-other']);
    expect(await links.find('T1', 'C-b')).toBeUndefined();
    expect(await links.find('T1', 'C-c')).toBeDefined();
  });

  test.each([
    ['at once', 'before'],
    ['at once', 'after'],
    ['once its jobs are done', 'before'],
    ['once its jobs are done', 'after'],
  ] as const)(
    'has its channel told once, by any bot, if the bot that removed it %s died just %s it told',
    async (how, when) => {
      const { links, instance, ledger, tap, time, records } = await start();
      const link = await linkTo({ links }, instance);
      if (how !== 'at once') await links.removeWhenDone(link, 'U-other');
      dieTelling(tap, 1, when);
      const removing = how === 'at once' ? links.remove(link, 'U-other') : links.removeDone();
      await expect(removing).rejects.toThrow(how === 'at once' ? 'the bot died' : 'could not be removed');
      expect(await links.find('T1', 'C-sales')).toBeUndefined();
      await ledger.draft({ ...SEND, id: 's1', instance: instance.id, kind: 'single' });
      // Whoever removed it may be about to tell.
      await links.removeDone();
      const news = await heard(ledger);
      expect(news).toHaveLength(when === 'before' ? 0 : 1);
      time.advance(60_000);
      await links.removeDone();
      news.push(...(await heard(ledger)));
      expect(news).toEqual(['C-sales from Acme by U-other']);
      expect((await ledger.find('s1'))?.state).toBe('expired');
      await links.removeDone();
      expect(await heard(ledger)).toEqual([]);
      expect(await records.pendingUnlinks.keys()).toEqual([]);
    },
  );

  test.each(['once its jobs are done', 'though its bot died'])(
    'is told of once if two bots look at the same moment (%s)',
    async (when) => {
      const { links, another, instance, ledger, tap, time } = await start();
      const link = await linkTo({ links }, instance);
      if (when === 'though its bot died') {
        dieTelling(tap, 1);
        await expect(links.remove(link, 'U-other')).rejects.toThrow('the bot died');
      } else await links.removeWhenDone(link, 'U-other');
      time.advance(60_000);
      await Promise.all([links.removeDone(), another.links.removeDone()]);
      expect(await heard(ledger)).toEqual(['C-sales from Acme by U-other']);
    },
  );

  test('is not told of by somebody whose click came after another one', async () => {
    const { links, another, instance } = await start();
    const link = await linkTo({ links }, instance);
    const removed = await Promise.all([links.remove(link, 'U-1'), another.links.remove(link, 'U-2')]);
    expect(removed.map(({ kind }) => kind).sort()).toEqual(['changed', 'removed']);
  });

  test('goes later if a job began while two bots were removing it', async () => {
    const { links, another, instance, ledger, tap } = await start();
    await links.removeWhenDone(await linkTo({ links }, instance), 'U-other');
    await ledger.draft({ ...SEND, id: 'j1', instance: instance.id, kind: 'job' });
    let looks = 0;
    tap.intercept('openSends', (real) => async (id) => {
      looks += 1;
      // Both bots have looked once. The second one ends its whole round while the first one looks again.
      if (looks === 1) {
        const open = await real(id);
        await ledger.decide('j1', { to: 'running', by: 'U1' });
        return open;
      }
      return real(id);
    });
    await Promise.all([links.removeDone(), another.links.removeDone()]);
    expect(await heard(ledger)).toEqual([]);
    await ledger.stop('j1');
    await links.removeDone();
    expect(await heard(ledger)).toEqual(['C-sales from Acme by U-other']);
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
  });

  test('and was told of is not told again, and a new link of the channel stays', async () => {
    const { links, instance, ledger, records, tap, time } = await start();
    await links.remove(await linkTo({ links }, instance), 'U-1');
    expect(await records.pendingUnlinks.list()).toEqual([]);
    time.advance(1);
    dieTelling(tap, 1);
    await expect(links.remove(await linkTo({ links }, instance), 'U-2')).rejects.toThrow('the bot died');
    time.advance(1);
    const again = await linkTo({ links }, instance);
    time.advance(60_000);
    for (let round = 0; round < 2; round += 1) await links.removeDone();
    expect((await heard(ledger)).sort()).toEqual(['C-sales from Acme by U-1', 'C-sales from Acme by U-2']);
    expect((await links.find('T1', 'C-sales'))?.link).toEqual(again);
  });

  test.each(['at once', 'once its jobs are done'])(
    'does not hide an earlier one that the channel has not heard of, if it goes %s',
    async (when) => {
      const { links, another, instance, ledger, tap, time } = await start();
      dieTelling(tap, when === 'at once' ? 2 : 1);
      await expect(links.remove(await linkTo({ links }, instance), 'U-1')).rejects.toThrow('the bot died');
      time.advance(1);
      const again = await linkTo({ links }, instance);
      if (when === 'at once')
        await expect(another.links.remove(again, 'U-2')).rejects.toThrow('the bot died');
      else await another.links.removeWhenDone(again, 'U-2');
      for (let round = 0; round < 3; round += 1) {
        time.advance(60_000);
        await links.removeDone();
      }
      expect((await heard(ledger)).sort()).toEqual(['C-sales from Acme by U-1', 'C-sales from Acme by U-2']);
      expect(await links.find('T1', 'C-sales')).toBeUndefined();
    },
  );

  test('is told of once if the bot that removed it was of an earlier version and died right then', async () => {
    const { links, instance, ledger, records } = await start();
    const untold = { by: 'U-1', instanceId: instance.id, at: 1 };
    await records.pendingUnlinks.set('T1/C-sales', { team: 'T1', channel: 'C-sales', untold });
    for (let round = 0; round < 2; round += 1) await links.removeDone();
    expect(await heard(ledger)).toEqual(['C-sales from Acme by U-1']);
    expect(await records.pendingUnlinks.list()).toEqual([]);
  });

  test('is told of, too, if the channel heard of an earlier one just after its bot died', async () => {
    const { links, another, instance, ledger, tap, time } = await start();
    const first = await linkTo({ links }, instance);
    let calls = 0;
    tap.intercept('changeState', (real) => async (...change) => {
      calls += 1;
      if (calls === 2) throw new Error('the bot died');
      if (calls === 1) {
        time.advance(1);
        const second = await linkTo({ links }, instance);
        await expect(another.links.remove(second, 'U-2')).rejects.toThrow('the bot died');
      }
      return real(...change);
    });
    await links.remove(first, 'U-1');
    expect(await heard(ledger)).toEqual(['C-sales from Acme by U-1']);
    time.advance(60_000);
    await links.removeDone();
    expect(await heard(ledger)).toEqual(['C-sales from Acme by U-2']);
  });

  test('goes, too, if an older one of the channel was to come back just then', async () => {
    const { links, instances, another, instance, ledger, tap } = await start();
    const link = await linkTo({ links }, instance);
    const other = await addInstance({ instances }, ACME_KEY_TOO, 'Acme too');
    await ledger.draft({ ...SEND, id: 'j1', instance: instance.id, kind: 'job' });
    tap.intercept('expireDrafts', (real) => async (...of) => {
      await ledger.decide('j1', { to: 'running', by: 'U1' });
      await another.links.removeWhenDone(await linkTo({ links }, other), 'U-2');
      return real(...of);
    });
    await links.remove(link, 'U-1');
    await ledger.stop('j1');
    await links.removeDone();
    expect(await heard(ledger)).toEqual(['C-sales from Acme too by U-2']);
  });

  test('goes, too, if it was made and marked while a bot looked for the one before', async () => {
    const { links, instances, another, instance, ledger, records, time, log } = await start();
    await records.pendingUnlinks.set('T1/C-sales', { team: 'T1', channel: 'C-sales' });
    const marking = onceRead(records, 'links', async () =>
      another.links.removeWhenDone(await linkTo({ links }, instance), 'U-2'),
    );
    const looking = createLinks({ records: marking, instances, ledger, clock: time.clock, log });
    await looking.removeDone();
    await links.removeDone();
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
  });

  test('is removed, too, if settings are saved that were read before it was to go, or before it went', async () => {
    const { links, instance } = await start();
    const link = await linkTo({ links }, instance);
    await links.removeWhenDone(link, 'U-other');
    expect(await links.saveSettings(link, settings({ threshold: 7 }), ANY_LINK)).toBe(true);
    const now = await links.find('T1', 'C-sales');
    expect(now?.link).toMatchObject({ threshold: 7, leaving: { by: 'U-other' }, linkedBy: 'U-admin' });
    await links.removeDone();
    expect(await links.saveSettings(link, settings({ threshold: 8 }), ANY_LINK)).toBe(false);
    expect(await links.find('T1', 'C-sales')).toBeUndefined();
  });

  test('stays if somebody has linked the channel again', async () => {
    const { links, instance, ledger } = await start();
    await links.removeWhenDone(await linkTo({ links }, instance), 'U-other');
    await linkTo({ links }, instance);
    await links.removeDone();
    expect(await heard(ledger)).toEqual([]);
    expect(await links.find('T1', 'C-sales')).toBeDefined();
  });
});
