import { type Ephemeral, type Message, type OpenView, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BotsOnRedis, startBotsOnRedis } from '../helpers/bots-on-redis.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import type { World } from '../helpers/world.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import {
  answerTo,
  arrivalsAt,
  eventually,
  loaded,
  openBy,
  phoneAt,
  pressInTime,
  sendRequests,
} from '../helpers/world-steps.ts';

/** Four people click at the same moment on each request. */
const REQUESTS = 50;
/** Three requests race at a time. Each has its own decliner, since a person sees one form at a time. */
const LANES = ['owner', 'admin', 'colleague'] as const;
type Act = 'approve' | 'decline' | 'withdraw';
/** The buttons that people press. Each press may win. */
const MIXES: Act[][] = [
  ['approve', 'approve', 'approve', 'approve'],
  ['approve', 'decline', 'approve', 'approve'],
  ['decline', 'approve', 'approve', 'approve'],
  ['approve', 'withdraw', 'approve', 'withdraw'],
  ['withdraw', 'approve', 'decline', 'approve'],
];
/** For each end: the card's words, and the winner's. */
const ENDS: { [act in Act]: { card: RegExp; winner: RegExp } } = {
  approve: {
    card: /^✅ \*Approved\* by/,
    winner: /^✅ \*Approved\*: a text, asked for by .*\.\nSending begins now\./,
  },
  decline: { card: /^⛔ \*Declined\* by/, winner: /^⛔ \*Declined\*, nothing is sent\./ },
  withdraw: { card: /^\*Withdrawn\* by/, winner: /^\*Withdrawn\*: nothing was sent to / },
};
/** A bot says this if it waited too long for a busy Redis. The person presses once more. */
const UNFINISHED = /not finished/;

interface Race {
  phone: string;
  /** Each click's act, and what its person read in the end. */
  told: { act: Act; words: string; isSecondTry: boolean }[];
  preview: Ephemeral;
  card: Message;
}

describe.skipIf(withoutRedis)('racing approvals, at three bots on one Redis, by signed HTTP', () => {
  let world: World;
  let shared: BotsOnRedis;

  beforeAll(async () => {
    shared = await startBotsOnRedis();
    world = shared.world;
    const approvers = LANES.map((lane) => world.slack.people[lane].id);
    await saveLimits(world, { 'Approval above (credits)': '0', Approvers: approvers });
  });
  afterAll(() => shared?.close());
  afterEach((context) => shared.showIfFailed(context));

  /** The message's words now. */
  const shown = (message: Message | Ephemeral) => {
    const all = 'to' in message ? world.slack.ephemerals(message.to) : world.slack.history(message.channel);
    return textOf(all.find(({ ts }) => ts === message.ts) ?? message);
  };

  /** ana asks for approval of a text; resolves with her preview and the request's card. */
  async function askFor(phone: string): Promise<{ preview: Ephemeral; card: Message }> {
    const { slack } = world;
    const preview = (await answerTo(world, `send +${phone} Hello`)) as Ephemeral;
    await pressInTime(world, preview, 'Ask for approval');
    const card = await slack.waitFor(() =>
      slack
        .history(slack.channels.sales.id)
        .find(
          (each) => /Approval needed/.test(textOf(each)) && textOf(each).includes(`···${phone.slice(-4)}`),
        ),
    );
    return { preview, card };
  }

  async function openDecline(user: { id: string }, card: Message): Promise<OpenView> {
    const { slack } = world;
    return loaded(slack, await openBy(() => slack.click({ user, message: card, text: 'Decline' })));
  }

  /** Presses until a bot says what the click did. */
  async function pressed(
    press: () => Promise<string>,
    isSecondTry = false,
  ): Promise<{ words: string; isSecondTry: boolean }> {
    const words = await press();
    return UNFINISHED.test(words) ? pressed(press, true) : { words, isSecondTry };
  }

  async function race(number: number, lane: number): Promise<Race> {
    const { slack } = world;
    const phone = phoneAt(number);
    const acts = MIXES[number % MIXES.length] ?? [];
    const { preview, card } = await askFor(phone);
    const approver = (place: number) => slack.people[LANES[(lane + place) % LANES.length] ?? 'owner'];
    const decliner = approver(0);
    const form = acts.includes('decline') ? await openDecline(decliner, card) : undefined;

    async function click(text: string, user: { id: string }): Promise<string> {
      const clicked = await slack.click({ user, message: card, text, forged: true });
      return textOf(await clicked.reply(20_000));
    }
    async function decline(view: OpenView): Promise<string> {
      // If a bot was too slow for Slack, its answer may be in the form's place by now.
      if (textOf(slack.view(view.view.id) ?? view).includes('Reason:')) {
        const { outcome } = await slack.submitView({ user: decliner, view, values: { Reason: 'Not now' } });
        // Slack says so, and the form stays open.
        if (outcome === 'trouble') return 'not finished';
      }
      const [, ...words] = textOf(await loaded(slack, view)).split('\n');
      return words.filter((line) => line !== '[Close]').join('\n');
    }
    const presses: { [act in Act]: (place: number) => Promise<string> } = {
      approve: (place) => click('Approve and send', approver(place)),
      decline: () => (form ? decline(form) : Promise.reject(new Error('no form'))),
      withdraw: () => click('Withdraw', slack.people.member),
    };
    const told = await Promise.all(
      acts.map(async (act, place) => ({ act, ...(await pressed(() => presses[act](place))) })),
    );
    return { phone, told, preview, card };
  }

  it(`${REQUESTS * 4} clicks on ${REQUESTS} requests decide each once; exactly the approved ones are sent; each click gets a true answer`, async () => {
    const races: Race[] = [];
    let next = 0;
    await Promise.all(
      LANES.map(async (_, lane) => {
        while (next < REQUESTS) races.push(await race(next++, lane));
      }),
    );
    const said = (told: Race['told']) => told.map(({ act, words }) => `${act}: ${words}`).join('\n');
    const ended = { approve: 0, decline: 0, withdraw: 0 };
    for (const { phone, told, preview, card } of races) {
      const end = await eventually(() => {
        const acts = Object.keys(ENDS) as Act[];
        return acts.find((act) => ENDS[act].card.test(shown(card)));
      });
      ended[end] += 1;
      const [line = ''] = shown(card).split('\n');
      const { winner } = ENDS[end];
      const winners = told.filter(({ words }) => winner.test(words));
      // A click may have won even if its bot did not finish.
      if (!told.some(({ isSecondTry }) => isSecondTry)) expect(winners, said(told)).toHaveLength(1);
      for (const each of told) {
        if (winners.includes(each)) expect(each.act, phone).toBe(end);
        else expect(each.words, phone).toBe(`Too late: ${line}`);
      }
      if (end === 'approve') await eventually(() => /^✅ \*Sent\*/.test(shown(preview)));
      expect(arrivalsAt(world, phone), phone).toHaveLength(end === 'approve' ? 1 : 0);
    }
    expect(sendRequests(world)).toHaveLength(ended.approve);
    for (const count of Object.values(ended)) expect(count).toBeGreaterThan(0);
    for (const { output } of shared.bots.all) expect(output()).toContain('Approve was pressed');
    expect(world.slack.failures).toEqual([]);
  }, 240_000);
});
