import { type OpenView, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sideBySide } from '../helpers/side-by-side.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { submitBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  answerTo,
  ask,
  BIRCH_KEY,
  directOf,
  historyOf,
  link,
  loaded,
  newInstanceForm,
  openModal,
  sendRequests,
} from '../helpers/world-steps.ts';

/** Calls `declare` with its own world's getter. Slack takes everything that the bot of this world says. */
function withWorld(title: string, declare: (world: () => World) => void): void {
  sideBySide(title, () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld();
      await world.start();
    });
    afterAll(() => world.close());
    afterEach(() => {
      expect(world.slack.failures).toEqual([]);
      expect(world.slack.warnings).toEqual([]);
    });
    declare(() => world);
  });
}

async function unlink(world: World): Promise<void> {
  const { slack } = world;
  const { admin } = slack.people;
  const question = await answerTo(world, 'unlink', { user: admin });
  await slack.click({ user: admin, message: question, text: 'Unlink: no more texts from here' });
  await slack.waitFor(() => historyOf(world).at(-1)?.includes('unlinked this channel'));
}

/** The words that answer a form's submission: in the form's place, or as a message. */
async function answered(
  { slack }: World,
  form: OpenView,
  user: { id: string },
  seen: number,
): Promise<string> {
  return slack.waitFor(() => {
    const view = slack.view(form.view.id);
    const words = view ? textOf(view) : '';
    const message = slack.ephemerals(user.id).slice(seen).map(textOf).join();
    return [words, message].find((one) => /linked/.test(one));
  });
}

withWorld('a form that was open while its channel was unlinked', (worldOf) => {
  beforeEach(async () => {
    await link(worldOf());
  });

  it.each([
    [
      'send',
      'member',
      /not linked.*The number:\n\+44 20 7946 0958\nThe text:\nYour parcel is ready/s,
      { Recipient: '+44 20 7946 0958', Message: 'Your parcel is ready' },
    ],
    [
      'bulk',
      'member',
      /not linked.*Recipients: \[phone\n\+442079460958.*Message: \[Your parcel/s,
      { Recipients: 'phone\n+442079460958', Message: 'Your parcel is ready' },
    ],
    [
      'settings',
      'admin',
      /unlinked this channel meanwhile, so nothing was changed/,
      { 'Low-credit threshold': '7' },
    ],
    [
      'limits',
      'admin',
      /unlinked this channel meanwhile, so nothing was changed/,
      { 'Approval above (credits)': '5' },
    ],
  ] as const)(
    '%s: nothing is sent or saved, and what was typed is kept',
    async (command, who, words, values) => {
      const world = worldOf();
      const { slack } = world;
      const user = slack.people[who];
      const form = await loaded(
        slack,
        await openModal(slack, { user, channel: slack.channels.sales, text: command }),
      );
      await unlink(world);
      const seen = slack.ephemerals(user.id).length;
      const done = await slack.submitView({ user, view: form, values });
      expect(done.errors ?? {}).toEqual({});
      expect(await answered(world, form, user, seen)).toMatch(words);
      expect(sendRequests(world)).toEqual([]);
    },
  );

  it.each(['Limits', 'Replace key'])(
    'a click on %s in settings that are closed by then breaks nothing',
    async (text) => {
      const world = worldOf();
      const { slack } = world;
      const { admin } = slack.people;
      const form = await loaded(
        slack,
        await openModal(slack, { user: admin, channel: slack.channels.sales, text: 'settings' }),
      );
      await slack.closeView({ user: admin, view: form, all: true });
      const before = slack.calls.length;
      await slack.clickInView({ user: admin, view: form, text, forged: true });
      const pushes = () => slack.calls.slice(before).filter(({ method }) => method === 'views.push');
      await slack.waitFor(() => pushes()[0]?.result.error === 'not_found');
      await answerTo(world, 'help', { user: admin });
      // An apology would push a second view.
      expect(pushes()).toHaveLength(1);
    },
  );
});

withWorld('a form whose person closes it while the service is asked', (worldOf) => {
  it.each([
    ['links', ACME_KEY, /\*Link a channel\* before we could answer:\n✅ \*Linked\*/],
    ['refuses', 'not-a-key-0009', /\*Link a channel\* before we could answer:\nThe service rejects this key/],
  ])('tells what came of it by direct message: the service %s', async (_what, key, words) => {
    const world = worldOf();
    const { slack, service } = world;
    const { admin } = slack.people;
    const channel = slack.channels.leads;
    const opened = await loaded(slack, await openModal(slack, { user: admin, channel, text: 'link' }));
    const form = await newInstanceForm(slack, admin, opened);
    const seen = directOf(world, admin).length;
    service.addFault({ kind: 'delay', endpoint: 'balance', ms: 4000, when: 'before' });
    await slack.submitView({ user: admin, view: form, values: { 'Instance name': 'Late', 'API key': key } });
    await slack.waitFor(() => textOf(slack.view(form.view.id) ?? opened).includes('Asking the service'));
    await slack.closeView({ user: admin, view: form, all: true });
    const told = await slack.waitFor(() => directOf(world, admin)[seen]);
    expect(told).toMatch(words);
    expect(told).not.toContain(key);
    expect(world.output()).not.toContain('a listener failed');
  });

  it('a form that would have opened a second one says so, and saves nothing', async () => {
    const world = worldOf();
    const { slack, service } = world;
    const { admin } = slack.people;
    await link(world);
    const where = { user: admin, channel: slack.channels.sales };
    const settings = await loaded(slack, await openModal(slack, { ...where, text: 'settings' }));
    await slack.clickInView({ user: admin, view: settings, text: 'Replace key' });
    const form = await slack.waitFor(() => {
      const top = slack.views(admin.id).at(-1);
      return top && top.view.id !== settings.view.id && top;
    });
    const seen = directOf(world, admin).length;
    service.addFault({ kind: 'delay', endpoint: 'balance', ms: 4000, when: 'before' });
    await slack.submitView({ user: admin, view: form, values: { 'API key': BIRCH_KEY } });
    await slack.closeView({ user: admin, view: form, all: true });
    const told = await slack.waitFor(() => directOf(world, admin)[seen]);
    expect(told).toMatch(
      /\*Replace key\* before we could answer:\nThe form had one more question, so nothing was/,
    );
    expect(await ask(world, 'status', where)).toContain('…0001 · works');
  });
});

withWorld('a list form that was closed while its check broke off', (worldOf) => {
  it('says so in a direct message', async () => {
    const world = worldOf();
    const { slack } = world;
    const { member } = slack.people;
    await link(world);
    slack.fault({ method: 'conversations.members', fault: { kind: 'hang' } });
    const seen = directOf(world, member).length;
    const { view } = await submitBulk(world, { recipients: 'phone\n+442079460958', message: 'Hello' });
    await slack.waitFor(() => textOf(slack.view(view.view.id) ?? view).includes('Checking'));
    await slack.closeView({ user: member, view, all: true });
    const told = await slack.waitFor(() => directOf(world, member)[seen]);
    expect(told).toContain('Slack did not answer as it should, so nothing was done');
  });
});

withWorld('a form whose answer Slack does not take', (worldOf) => {
  async function submitted(name: string): Promise<OpenView> {
    const { slack, service } = worldOf();
    const { admin } = slack.people;
    const channel = slack.channels.leads;
    const opened = await loaded(slack, await openModal(slack, { user: admin, channel, text: 'link' }));
    const form = await newInstanceForm(slack, admin, opened);
    service.addFault({ kind: 'delay', endpoint: 'balance', ms: 3000, when: 'before' });
    const values = { 'Instance name': name, 'API key': 'not-a-key-0009' };
    await slack.submitView({ user: admin, view: form, values });
    await slack.waitFor(() => textOf(slack.view(form.view.id) ?? opened).includes('Asking the service'));
    return form;
  }

  it.each([{ kind: 'rate_limited', retryAfter: 1 }, { kind: 'server_error' }] as const)(
    'at once ($kind), shows it a moment later',
    async (fault) => {
      const { slack } = worldOf();
      const form = await submitted('Busy');
      // The bot updates the waiting view once more, which may come first.
      slack.fault({ method: 'views.update', fault, count: 2 });
      await slack.waitFor(() => {
        const now = slack.view(form.view.id);
        return now && /rejects this key/.test(textOf(now));
      }, 30_000);
    },
  );

  it('at all: a direct message says so', async () => {
    const world = worldOf();
    const { slack } = world;
    const { admin } = slack.people;
    await submitted('Broken');
    const seen = directOf(world, admin).length;
    const fault = { kind: 'refused', error: 'internal_error' } as const;
    slack.fault({ method: 'views.update', fault, count: Number.POSITIVE_INFINITY });
    try {
      const told = await slack.waitFor(() => directOf(world, admin)[seen]);
      expect(told).toMatch(/could not be shown in \*Link a channel\*:\nThe service rejects this key/);
    } finally {
      slack.clearFaults();
    }
  });
});
