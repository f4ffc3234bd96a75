import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inputsOf, post, wordsOn } from './helpers/page-client.ts';
import { createPageWorld, type PageWorld } from './helpers/page-world.ts';

let world: PageWorld;
beforeEach(async () => {
  world = await createPageWorld();
});
afterEach(() => world.close());

describe('what people do', () => {
  it('a command reaches the app as typed; an unknown command and a stranger’s get the client’s answer', async () => {
    const typed: string[] = [];
    await world.startBot((app) =>
      app.command('/app', async ({ ack, command }) => {
        typed.push(command.text);
        await ack();
      }),
    );
    const { member, guest, outsider } = world.slack.people;
    const { sales, partners } = world.slack.channels;
    const command = (as: string, channel: string, text: string) =>
      post(world.url, '/act/command', { as, channel, text });
    expect(await command(member.id, sales.id, '/app send  +44 1  a\nb')).toEqual({ ok: true });
    expect(typed).toEqual(['send  +44 1  a\nb']);
    expect((await command(member.id, sales.id, '/apps')).problem).toBe(
      '/apps is not a command that you have here.',
    );
    expect((await command(outsider.id, partners.id, '/app')).problem).toBe(
      '/app is not a command that you have here.',
    );
    expect((await command(guest.id, sales.id, '/app')).problem).toBe('You cannot write here.');
    expect((await command(member.id, 'C0NONE', '/app')).problem).toBe('There is no such channel.');
    expect(world.did).toEqual(['command by ana']);
  });

  it.each([
    ['admin', ['/app send', '/app list', '/app set', '/invite']],
    ['member', ['/app send', '/app list', '/invite']],
    ['guest', ['/app send']],
    ['outsider', []],
  ] as const)('the page suggests to the %s the commands that they may use', async (as, words) => {
    const screen = await world.screenOf(world.slack.people[as].id);
    expect(screen.state().commands.map(({ word }) => word)).toEqual(words);
  });

  it('/invite adds people and the app to a channel, and says so there', async () => {
    const { admin, guest, colleague } = world.slack.people;
    const { support } = world.slack.channels;
    const bot = world.slack.bot.user_id;
    const text = '/invite @Playbot, gus';
    expect(await post(world.url, '/act/command', { as: admin.id, channel: support.id, text })).toEqual({
      ok: true,
    });
    expect(world.slack.channel(support.id)?.members).toEqual([...support.members, bot, guest.id]);
    expect(support.members).toContain(colleague.id);
    expect(world.slack.history(support.id)).toMatchObject([
      { user: admin.id, text: 'added @Playbot, @gus to #support.' },
    ]);
  });

  it.each([
    ['admin', 'support', '', 'Who? Type a name too, such as /invite @ana.'],
    [
      'admin',
      'support',
      ' @gus @zoe',
      'Nobody here is called @zoe. There are @Playbot, @olga, @adam, @ana, @ben, @gus, @otto.',
    ],
    ['admin', 'support', ' ben', '@ben is in #support already.'],
    ['admin', 'support', ' @otto', '@otto is from another workspace, and #support is not shared.'],
    ['guest', 'partners', ' @ana', 'Only members of this workspace can invite.'],
    ['outsider', 'partners', ' @ana', 'Only members of this workspace can invite.'],
    ['member', 'duet', ' @gus', 'Nobody can be added to a direct message.'],
  ] as const)('/invite by the %s in %s: “%s” adds nobody: %s', async (as, channel, names, problem) => {
    const { people, channels } = world.slack;
    const body = { as: people[as].id, channel: channels[channel].id, text: `/invite${names}` };
    expect(await post(world.url, '/act/command', body)).toEqual({ ok: false, problem });
    expect(world.slack.channel(channels[channel].id)).toEqual(channels[channel]);
    expect(world.slack.history(channels[channel].id)).toEqual([]);
  });

  it('says within seconds that the app is down or does not answer', async () => {
    const { member } = world.slack.people;
    const body = { as: member.id, channel: world.slack.channels.sales.id, text: '/app help' };
    world.slack.setEventsUrl('http://127.0.0.1:1/slack/events');
    expect((await post(world.url, '/act/command', body)).problem).toBe(
      '/app failed because the app did not respond.',
    );
    await world.startBot((app) => app.command('/app', () => new Promise(() => {})));
    expect((await post(world.url, '/act/command', body)).problem).toBe(
      '/app failed because the app did not respond in time.',
    );
    expect(world.did).toEqual([]);
  });

  it('a button and a menu of a message reach the app; if they are gone, the person hears it', async () => {
    const actions: unknown[] = [];
    await world.startBot((app) =>
      app.action(/.*/, async ({ ack, action }) => {
        actions.push(action);
        await ack();
      }),
    );
    const { member, admin } = world.slack.people;
    const { sales } = world.slack.channels;
    const posted = await world.call('chat.postMessage', {
      channel: sales.id,
      text: 'Choose',
      blocks: [
        {
          type: 'actions',
          block_id: 'b',
          elements: [
            { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' }, value: 'it' },
            {
              type: 'static_select',
              action_id: 'pick',
              options: [{ text: { type: 'plain_text', text: 'Red' }, value: 'red' }],
            },
          ],
        },
      ],
    });
    const at = { as: member.id, channel: sales.id, ts: posted.ts as string, block_id: 'b' };
    expect(await post(world.url, '/act/click', { ...at, action_id: 'go' })).toEqual({ ok: true });
    expect(await post(world.url, '/act/click', { ...at, action_id: 'pick', value: 'red' })).toEqual({
      ok: true,
    });
    expect(actions).toMatchObject([
      { action_id: 'go', value: 'it' },
      { action_id: 'pick', selected_option: { value: 'red' } },
    ]);
    const changedMeanwhile = { ok: false, problem: 'This has changed meanwhile: please look again.' };
    expect(await post(world.url, '/act/click', { ...at, action_id: 'none' })).toEqual(changedMeanwhile);
    expect(await post(world.url, '/act/click', { ...at, action_id: 'pick', value: 'blue' })).toEqual(
      changedMeanwhile,
    );
    const gone = { ok: false, problem: 'This message is gone.' };
    expect(await post(world.url, '/act/click', { ...at, ts: '1.000000', action_id: 'go' })).toEqual(gone);
    expect(
      await post(world.url, '/act/click', { ...at, as: admin.id, channel: 'C0LEADS001', action_id: 'go' }),
    ).toEqual(gone);
  });

  it('a form is filled in, used, refused at a field, submitted and closed', async () => {
    const seen: unknown[] = [];
    await world.startBot((app) => {
      app.command('/app', async ({ ack, body, client }) => {
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: FORM as never });
      });
      app.action('look', async ({ ack, body }) => {
        seen.push((body as { view?: { state: { values: unknown } } }).view?.state.values);
        await ack();
      });
      app.view('form', async ({ ack, view }) => {
        const name = view.state.values.name?.it?.value;
        if (name === 'Ann') await ack();
        else await ack({ response_action: 'errors', errors: { name: 'Not known here.' } });
      });
    });
    const { member, admin } = world.slack.people;
    const screen = await world.screenOf(member.id);
    const open = () =>
      post(world.url, '/act/command', {
        as: member.id,
        channel: world.slack.channels.sales.id,
        text: '/app',
      });
    await open();
    const { view } = await screen.until(({ views }) => views[0]);
    const at = { as: member.id, view: view.id };
    expect(inputsOf(screen.state().views[0] as never)).toEqual({ Name: 'name' });

    await post(world.url, '/act/view-click', {
      ...at,
      block_id: 'more',
      action_id: 'look',
      values: { name: 'Bo' },
    });
    expect(seen).toEqual([{ name: { it: { type: 'plain_text_input', value: 'Bo' } } }]);
    expect(await post(world.url, '/act/submit', { ...at, values: { name: '' } })).toEqual({ ok: true });
    await screen.until(({ views }) => views[0]?.errors.name === 'Please complete this required field.');
    expect(await post(world.url, '/act/submit', { ...at, values: { name: 'Bo' } })).toEqual({ ok: true });
    await screen.until(({ views }) => views[0]?.errors.name === 'Not known here.');
    expect((await post(world.url, '/act/submit', { ...at, as: admin.id, values: {} })).problem).toBe(
      'This form is closed.',
    );
    expect((await post(world.url, '/act/submit', { ...at, values: { none: 'x' } })).problem).toMatch(
      /changed/,
    );
    expect(await post(world.url, '/act/submit', { ...at, values: { name: 'Ann' } })).toEqual({ ok: true });
    await screen.until(({ views }) => views.length === 0);

    await open();
    const again = await screen.until(({ views }) => views[0]);
    world.slack.setEventsUrl('http://127.0.0.1:1/slack/events');
    const there = { as: member.id, view: again.view.id };
    expect(await post(world.url, '/act/submit', { ...there, values: { name: 'Ann' } })).toEqual({
      ok: false,
      problem: 'The form was not taken because the app did not respond.',
    });
    expect(screen.state().views).toHaveLength(1);
    expect(await post(world.url, '/act/close', there)).toEqual({ ok: true });
    await screen.until(({ views }) => views.length === 0);
    // The second of two quick Escapes.
    expect(await post(world.url, '/act/close', there)).toEqual({ ok: true });
    expect((await post(world.url, '/act/submit', { ...there, values: {} })).problem).toBe(
      'This form is closed.',
    );
  });

  it('reaches panels, steps and the bot', async () => {
    await post(world.url, '/panels/add', { by: 7 });
    await post(world.url, '/act/step', { id: 'first' });
    await post(world.url, '/bot/restart', {});
    await post(world.url, '/start-over', {});
    expect(world.did).toEqual(['add {"by":7}', 'step first', 'restart', 'start over']);
    expect((await post(world.url, '/panels/none', {})).problem).toBe('There is no such action.');
  });

  it.each([
    ['/act/command', { channel: 'C', text: '/app' }],
    ['/act/command', { as: 'U0NOBODY', channel: 'C', text: '/app' }],
    ['/act/say', { as: 'U0MEMBER01', channel: 'C0SALES001', text: '' }],
    ['/act/click', { as: 'U0MEMBER01', channel: 'C0SALES001', ts: 5 }],
    ['/act/submit', { as: 'U0MEMBER01', view: 'V1', values: [] }],
    ['/act/step', {}],
    ['/bot/restart', null],
  ])('%s refuses %j', async (path, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(world.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ ok: false, problem: expect.stringMatching(/\.$/) });
    expect(world.did).toEqual([]);
    expect(wordsOn((await world.screenOf()).state())).toBe('');
  });
});

const FORM = {
  type: 'modal',
  callback_id: 'form',
  title: { type: 'plain_text', text: 'A form' },
  submit: { type: 'plain_text', text: 'Save' },
  blocks: [
    {
      type: 'input',
      block_id: 'name',
      label: { type: 'plain_text', text: 'Name' },
      element: { type: 'plain_text_input', action_id: 'it' },
    },
    {
      type: 'actions',
      block_id: 'more',
      elements: [{ type: 'button', action_id: 'look', text: { type: 'plain_text', text: 'Look' } }],
    },
  ],
};
