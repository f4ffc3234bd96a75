import { checkHome, inWords } from 'slack-playground';
import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import { DEFAULT_SETTINGS, type Link } from '../../../src/core/accounts/links.ts';
import { mayAdminister, type Person } from '../../../src/core/accounts/permissions.ts';
import type { HistoryRow } from '../../../src/core/history/history-rows.ts';
import type { UnknownFacts } from '../../../src/core/homes/unknown-facts.ts';
import type { WorkspaceFacts } from '../../../src/core/homes/workspace-facts.ts';
import { homeOf } from '../../../src/slack/home/home-of.ts';
import { type Home, type HomeFacts, homeNotice, homeView } from '../../../src/slack/ui/reports/home.ts';
import { listRequest } from './approval-samples.ts';
import { aJob } from './bulk-samples.ts';
import { AT, evidence, expectInert, labelsOf, NASTY, settled, unknownFacts, wordsOf } from './samples.ts';

/** Slack takes views of up to 250 kB. */
const MAX_VIEW_SIZE = 250_000;

const MEMBER: Person = { id: 'UANA', team: 'T1', isAdmin: false, isGuest: false, isOutsider: false };
const GUEST: Person = { ...MEMBER, id: 'UGUEST', isGuest: true };
const ADMIN: Person = { ...MEMBER, id: 'UADMIN', isAdmin: true };

const channelOf = (n: number) => `C${String(n).padStart(4, '0')}`;
const channels = (many: number) =>
  Array.from({ length: many }, (_, n) => ({
    id: channelOf(n),
    name: `channel-${String(n).padStart(4, '0')}`,
  }));

function aLink(n: number, over: Partial<Link> = {}): Link {
  return {
    ...DEFAULT_SETTINGS,
    team: 'T1',
    channel: channelOf(n),
    instanceId: 'i0',
    linkedBy: 'UADMIN',
    linkedAt: AT,
    ...over,
  };
}

/** A person's job from a channel, with a file of this name. */
function jobIn(channel: string, by: string, file = 'list.csv') {
  const given = { template: 'Hello', file: { id: 'F1', name: file } };
  return aJob({ id: `job-${channel}`, channel }, {}, { by, given });
}

function homeFor(
  person: Person,
  all: WorkspaceFacts,
  inChannels: { id: string; name: string }[],
  lastSends: HistoryRow[] = [],
): HomeFacts {
  const unknown = mayAdminister(person) ? unknownOf(all.links.length) : undefined;
  return homeOf(person, all, { channels: inChannels, lastSends, unknown });
}

/** `many` unknown texts, and as many of jobs. */
function unknownOf(many: number): UnknownFacts {
  const one = settled('unknown', { cause: 'no_answer' }, { evidence: evidence('probably_sent') });
  return unknownFacts(
    Array.from({ length: many }, () => one),
    many,
  );
}

/** A workspace with `many` of everything, named by `word`. */
function facts(many: number, word = 'Acme', over: Partial<WorkspaceFacts> = {}): WorkspaceFacts {
  const each = <T>(make: (n: number) => T) => Array.from({ length: many }, (_, n) => make(n));
  const instances = each((n) => ({
    team: 'T1',
    id: `i${n}`,
    name: word,
    keyHint: '…a1b2',
    accountId: `a${n}`,
    userName: word,
    addedBy: 'UADMIN',
    lastGoodCheckAt: AT,
    ...(n % 2 === 1 ? { keyRefusedAt: AT } : {}),
  }));
  return {
    links: each((n) => aLink(n)),
    budgets: new Map(
      each((n) => [aLink(n).channel, { used: 60, held: 10, limit: 100, left: 30, renewsAt: AT }] as const),
    ),
    instances,
    balances: new Map(each((n) => [`a${n}`, { credits: 1240, at: AT }])),
    jobs: each((n) => jobIn(channelOf(n), 'UANA', word)),
    requests: each(() =>
      listRequest({}, { askedBy: 'UBEN' }, { given: { template: word, file: { id: 'F1', name: word } } }),
    ),
    runways: new Map(each((n) => [`a${n}`, { days: 12, earliest: 20_785, latest: 20_790 }])),
    weeks: each(() => ({
      userName: word,
      opening: 1000,
      daily: [{ day: 20_780, closing: 940, used: 60, toppedUp: 0 }],
      outcomes: [{ day: 20_780, sent: 58, notSent: 1, unknown: 1 }],
    })),
    rules: {
      timeZone: 'UTC',
      isTimeZoneChosen: false,
      whoMayOptOut: 'everyone' as const,
      optOutText: word,
      listUndoMs: 10_000,
      repeatGuardMs: 86_400_000,
    },
    optOuts: many,
    drifts: each(() => ({ instanceName: word, drift: { credits: 60, from: AT, to: AT, left: 900 } })),
    ...over,
  };
}

const NOTHING = facts(0);

function expectFineHome(view: Home): void {
  expect(checkHome(view).map(inWords)).toEqual([]);
  expect(JSON.stringify(view).length).toBeLessThan(MAX_VIEW_SIZE);
  expectInert(view.blocks);
}

const ROW: HistoryRow = {
  kind: 'single',
  id: 'send-1',
  channel: 'C0001',
  by: 'UANA',
  at: AT,
  credits: 1,
  number: '+44 20 7946 0958',
  outcome: 'sent',
};
const lastSends = (many: number): HistoryRow[] => Array.from({ length: many }, () => ROW);

describe('Slack takes the Home of any workspace', () => {
  test.each([0, 1, 2, 40, 500])('with %i of everything', (many) => {
    const ofBen = facts(many);
    for (const person of [MEMBER, GUEST, ADMIN]) {
      const own = Array.from({ length: many }, () => listRequest({}, { askedBy: person.id }));
      const all = { ...ofBen, requests: [...ofBen.requests, ...own] };
      const view = homeView(homeFor(person, all, channels(many), lastSends(many)));
      expectFineHome(view);
      expect(view.blocks.length).toBeLessThanOrEqual(100);
    }
  });

  test.each(Object.entries(NASTY))('with %s in every name', (_name, nasty) => {
    for (const person of [MEMBER, ADMIN]) {
      expectFineHome(homeView(homeFor(person, facts(40, nasty), channels(40))));
      expectFineHome(homeView(homeFor(person, { ...facts(1, nasty), links: [] }, channels(40))));
    }
  });
});

test('a sentence in its place', () => {
  expectFineHome(homeNotice('Please try again in a moment.'));
});

const wordsFor = (person: Person, all: WorkspaceFacts, inChannels = channels(500)) =>
  wordsOf(homeView(homeFor(person, all, inChannels)).blocks);

test('the parts come in one order: what waits for a person, what they do here, what they did, what only admins see', () => {
  const headersOf = (person: Person) =>
    homeView(homeFor(person, facts(2), channels(2), lastSends(2))).blocks.flatMap((block) =>
      block.type === 'header' && 'text' in block ? block.text.text : [],
    );
  const everyones = ['Channels you can send from', 'Jobs under way', 'Your last texts'];
  expect(headersOf(MEMBER)).toEqual(everyones);
  expect(headersOf(ADMIN)).toEqual([
    'Unknown texts',
    'Waiting for your approval',
    ...everyones,
    'Somebody else uses credits',
    'Rules for all channels',
    'Instances and their keys',
  ]);
  const [first, second] = homeView(homeFor(MEMBER, facts(2), channels(2))).blocks;
  expect([first?.type, second?.type]).toEqual(['section', 'actions']);
});

test('an admin sees the rules of each channel and of the workspace; others read what is left of the month', () => {
  const limits = { ...NO_LIMITS, monthlyBudget: 100, approvalAbove: 20 };
  const all = facts(1, 'Acme', { links: [aLink(0, { limits })] });
  const words = wordsFor(ADMIN, all);
  expect(words).toMatch(
    /\*<#C0000>\*\n.*warning below \d+[^\n]*\n\*Approval:\* above 20 credits, by an admin\n\*Monthly budget:\* 30 of 100 .*\n\*Undo time:\* 10 s for lists\n\*Off:\* Daily limit · Largest list \| Settings$/m,
  );
  expect(words.match(/30 of 100 credits left/g)).toHaveLength(1);
  expect(words).toContain('*Opt-outs:* 1 number · everyone who can send may add or remove some');
  const shown = wordsFor(MEMBER, all);
  expect(shown).toMatch(/warning below \d+ · 30 of 100 credits left this month/);
  expect(shown).not.toMatch(/Approval:|Opt-outs:/);
});

describe('a member', () => {
  test('sees the channels that they are in and may send from, each with balance, threshold and runway', () => {
    const links = [
      aLink(0, { threshold: 100 }),
      aLink(1, { threshold: 0, instanceId: 'i1' }),
      aLink(2, { whoCanSend: 'admins' }),
      aLink(3, { whoCanSend: 'chosen', people: ['UBEN'] }),
      aLink(4),
    ];
    const balances = new Map([['a0', { credits: 60, at: AT }]]);
    const shown = homeFor(MEMBER, facts(2, 'Acme', { links, balances, jobs: [] }), channels(4));
    const words = wordsOf(homeView(shown).blocks);
    expect(words).toMatch(
      /<#C0000>\*\n⚠️ \*60 credits\* · read .* · warning below 100 · 30 of 100 credits left this month, until .* · about 12 days left at this pace \(28 Nov – 3 Dec\)/,
    );
    expect(words).toMatch(/<#C0001>.*\n⛔ \*The service refuses the API key\* · balance not known yet/);
    expect(words).not.toMatch(/C0002|C0003|C0004/);
    const instances = facts(2).instances.map((one) => ({ ...one, otherAccount: true as const }));
    const moved = homeFor(MEMBER, facts(2, 'Acme', { links, balances, jobs: [], instances }), channels(4));
    expect(wordsOf(homeView(moved).blocks)).toContain('⛔ *The API key now belongs to another account*');
  });

  test('can top up a low balance, if there is a link', () => {
    const links = [aLink(0, { threshold: 100, topUpUrl: 'https://pay.example/' })];
    const labelsAt = (credits: number, more = {}) => {
      const balances = new Map([['a0', { credits, at: AT }]]);
      const all = facts(1, 'Acme', {
        links: links.map((link) => ({ ...link, ...more })),
        balances,
        jobs: [],
      });
      return labelsOf(homeView(homeFor(MEMBER, all, channels(1))));
    };
    expect(labelsAt(60)).toEqual(['Write a text', 'Text a list', 'Top up']);
    expect(labelsAt(100)).toEqual(['Write a text', 'Text a list']);
    expect(labelsAt(60, { topUpUrl: undefined })).toEqual(['Write a text', 'Text a list']);
  });

  test('sees jobs of those channels and their own; nothing that only admins see', () => {
    const jobs = [jobIn(channelOf(0), 'UBEN'), jobIn(channelOf(7), 'UANA'), jobIn(channelOf(8), 'UBEN')];
    const shown = homeFor(MEMBER, facts(1, 'Acme', { jobs }), channels(1));
    expect(shown.jobs.map(({ channel }) => channel)).toEqual([channelOf(0), channelOf(7)]);
    const view = homeView(shown);
    expect(wordsOf(view.blocks)).toContain('Jobs under way');
    expect(wordsOf(view.blocks)).not.toMatch(/Instances|…a1b2|Unknown|Settings/);
    expect(labelsOf(view)).toEqual(['Write a text', 'Text a list']);
  });

  test('a person who may send from nowhere reads why, and has no button that would fail', () => {
    const nowhere = homeView(homeFor(MEMBER, facts(3), []));
    expect(wordsOf(nowhere.blocks)).toMatch(/You cannot send texts yet/);
    expect(labelsOf(nowhere)).toEqual([]);
    expect(wordsFor(MEMBER, NOTHING)).toMatch(/Please ask an admin to open this page and link a channel/);
  });

  test('their own last texts have the full phone number', () => {
    const shown = homeFor(MEMBER, facts(1), channels(1), lastSends(9));
    const words = wordsOf(homeView(shown).blocks);
    expect(words.match(/\+44 20 7946 0958 · sent · 1 credit · <#C0001>/g)).toHaveLength(5);
  });
});

test('a guest sees only channels whose link lets guests send', () => {
  const links = [aLink(0), aLink(1, { guests: true })];
  const words = wordsFor(GUEST, facts(1, 'Acme', { links, jobs: [] }));
  expect(words).toContain('<#C0001>');
  expect(words).not.toMatch(/C0000|Settings|…a1b2/);
});

describe('an admin', () => {
  test('before the first link: three steps, each with its button', () => {
    const view = homeView(homeFor(ADMIN, NOTHING, channels(3)));
    expect(labelsOf(view)).toEqual(['Add a key', 'Link a channel', 'Write a text']);
    const added = wordsFor(ADMIN, { ...facts(1), links: [] });
    expect(added).toMatch(/✅ \*1\. Add a key\* · “Acme” is there/);
    expect(wordsFor(ADMIN, facts(1))).not.toMatch(/Three steps/);
  });

  test('sees every instance with its key, also of channels that they are not in', () => {
    const words = wordsFor(ADMIN, facts(2, 'Acme', { jobs: [] }), []);
    expect(words).toMatch(/✅ \*“Acme”\* · 1,240 credits · 2 channels\nKey …a1b2 · works/);
    expect(words).toMatch(
      /⛔ \*“Acme”\* · 1,240 credits · no channel\nKey …a1b2 · \*refused by the service\*/,
    );
  });

  test('sees who else uses credits, and has Statement beside each instance, or Replace key', () => {
    const links = [aLink(0), aLink(1, { instanceId: 'i1' })];
    const view = homeView(homeFor(ADMIN, facts(2, 'Acme', { links }), []));
    expect(wordsOf(view.blocks)).toMatch(/“Acme”\* · 60 credits used .*, not by this bot/);
    expect(labelsOf(view).filter((label) => /Statement|Replace|Remove/.test(label))).toEqual([
      'Statement',
      'Replace key',
    ]);
    expect(wordsOf(view.blocks)).not.toContain('An admin can replace the key');
  });

  test('has Remove instance beside an instance without a channel, even if its key is refused', () => {
    const view = homeView(homeFor(ADMIN, facts(2), []));
    expect(labelsOf(view).filter((label) => /Statement|Replace|Remove/.test(label))).toEqual([
      'Statement',
      'Remove instance',
    ]);
  });

  test('has Top up beside a low balance, and Settings without a link to top up', () => {
    const labelsWith = (topUpUrl?: string) => {
      const links = [aLink(0, { threshold: 100, ...(topUpUrl && { topUpUrl }) })];
      const balances = new Map([['a0', { credits: 60, at: AT }]]);
      const view = homeView(homeFor(ADMIN, facts(1, 'Acme', { links, balances, jobs: [] }), channels(1)));
      return labelsOf(view).filter((label) => /Top up|Settings/.test(label));
    };
    expect(labelsWith('https://pay.example/')).toEqual(['Top up']);
    expect(labelsWith()).toEqual(['Settings']);
  });

  test('sees the last week of an account as a table', () => {
    const words = wordsFor(ADMIN, facts(1), []);
    expect(words).toMatch(
      /Day \(UTC\) \| Balance \| Credits used \| Sent \| Not sent \| Unknown \| Start \| 1,000 \| 0 \| 0 \| 0 \| 0 \| 23 Nov \| 940 \| 60 \| 58 \| 1 \| 1/,
    );
    const known = facts(1, 'Acme', { weeks: facts(1).weeks.map((week) => ({ ...week, outcomes: [] })) });
    expect(wordsFor(ADMIN, known, [])).toMatch(/Day \(UTC\) \| Balance \| Credits used \| Start/);
    expect(wordsFor(MEMBER, facts(1))).not.toMatch(/Credits used/);
  });

  test('sees unknown texts with a button each, and how many more there are', () => {
    const view = homeView(homeFor(ADMIN, facts(12), []));
    expect(wordsOf(view.blocks)).toMatch(/⚠️ \*24 texts\* may have been sent/);
    for (const decision of ['It arrived', 'Leave it']) {
      expect(labelsOf(view).filter((label) => label === decision)).toHaveLength(5);
    }
    expect(wordsOf(view.blocks)).toMatch(/and 7 older/);
    expect(wordsOf(view.blocks)).toMatch(/12 texts of jobs/);
    expect(wordsOf(view.blocks)).not.toMatch(/7946/);
    const most = wordsOf(homeView(homeFor(ADMIN, facts(500), [])).blocks);
    expect(most).toMatch(/⚠️ \*More than 200 texts\* may have been sent/);
    expect(most).toMatch(/and more than 95 older/);
    expect(most).toMatch(/More than 100 texts of jobs/);
  });

  test('has Settings beside each channel that has a block', () => {
    const view = homeView(homeFor(ADMIN, facts(500), channels(500)));
    expect(labelsOf(view).filter((label) => label === 'Settings')).toHaveLength(20);
  });
});

test('channels without a block of their own are counted', () => {
  const words = (many: number) => wordsFor(MEMBER, facts(many, 'Acme', { jobs: [] }));
  expect(words(20)).not.toMatch(/and \d+ more/);
  expect(words(21)).toMatch(/^and 1 more$/m);
  expect(words(500)).toMatch(/^and 480 more$/m);
});
