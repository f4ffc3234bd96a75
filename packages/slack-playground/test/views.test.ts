import type { App, ViewResponseAction } from '@slack/bolt';
import type { ModalView, ViewsOpenResponse } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textOf } from '../src/render.ts';
import type { Playground } from '../src/server.ts';
import { TRIGGER_LIFE_MS } from '../src/triggers.ts';
import { createClock, startHttpBot, startPlayground } from './helpers/slack-bot.ts';

let slack: Playground;
let bot: { app: App; stop: () => Promise<unknown> };
let acks: unknown[];
let closed: Record<string, unknown>[];
const clock = createClock();

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const option = (value: string) => ({ text: plain(value.toUpperCase()), value });
const who = {
  type: 'radio_buttons' as const,
  action_id: 'who',
  options: [option('all'), option('some')],
  initial_option: option('all'),
};
const form = (fields: Partial<ModalView> = {}): ModalView => ({
  type: 'modal',
  callback_id: 'form',
  title: plain('Form'),
  submit: plain('Save'),
  close: plain('Cancel'),
  notify_on_close: true,
  private_metadata: 'meta',
  blocks: [
    {
      type: 'input',
      block_id: 'name',
      label: plain('Name'),
      element: { type: 'plain_text_input', action_id: 'typed', min_length: 2, max_length: 5 },
    },
    { type: 'input', block_id: 'who', label: plain('Who'), element: who },
    {
      type: 'input',
      block_id: 'note',
      optional: true,
      label: plain('Note'),
      element: { type: 'plain_text_input', action_id: 'typed' },
    },
    {
      type: 'actions',
      block_id: 'more',
      elements: [{ type: 'button', action_id: 'more', text: plain('More') }],
    },
  ],
  ...fields,
});

/** The bot's answer to a submission. */
let answer: ViewResponseAction | Record<string, unknown> | undefined;

beforeEach(async () => {
  acks = [];
  closed = [];
  answer = undefined;
  slack = await startPlayground({ clock: clock.now });
  bot = await startHttpBot(slack, (app) => {
    app.command('/app', async ({ ack }) => ack());
    app.action('more', async ({ ack }) => ack());
    app.options('pick', async ({ ack, options }) => ack({ options: [option(options.value)] }));
    app.view({ callback_id: 'form', type: 'view_closed' }, async ({ ack, body }) => {
      closed.push({ ...body });
      await ack();
    });
    app.view('form', async ({ ack, view }) => {
      acks.push(view.state.values);
      await (answer ? ack(answer as ViewResponseAction) : ack());
    });
  });
});
afterEach(async () => {
  await bot.stop();
  await slack.close();
});

const web = () => bot.app.client;
const error = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (failed) => failed.data.error as string,
  );

/** Types a command. Resolves with its trigger. */
async function trigger(): Promise<string> {
  const { payload } = await slack.command({ user: slack.people.member, channel: slack.channels.sales });
  return String(payload.trigger_id);
}

async function open(
  view: ModalView = form(),
): Promise<NonNullable<ViewsOpenResponse['view']> & { id: string }> {
  const answered = await web().views.open({ trigger_id: await trigger(), view });
  return answered.view as NonNullable<ViewsOpenResponse['view']> & { id: string };
}

describe('triggers', () => {
  test('last 3 seconds and open one modal', async () => {
    const trigger_id = await trigger();
    clock.forward(TRIGGER_LIFE_MS);
    const { view } = await web().views.open({ trigger_id, view: form() });
    expect(view).toMatchObject({ title: { text: 'Form' }, private_metadata: 'meta', callback_id: 'form' });
    expect(await error(web().views.open({ trigger_id, view: form() }))).toBe('exchanged_trigger_id');
    const late = await trigger();
    clock.forward(TRIGGER_LIFE_MS + 1);
    expect(await error(web().views.open({ trigger_id: late, view: form() }))).toBe('expired_trigger_id');
    expect(await error(web().views.open({ trigger_id: '1.2.3', view: form() }))).toBe('invalid_trigger_id');
  });

  test('still work after a refused view', async () => {
    const trigger_id = await trigger();
    const bad = form({ title: plain('x'.repeat(25)) });
    const failed = await web()
      .views.open({ trigger_id, view: bad })
      .catch((refused) => refused);
    expect(failed.data).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: {
        messages: ['[ERROR] must be less than 25 characters [json-pointer:/view/title/text]'],
      },
    });
    expect(slack.failures).toMatchObject([{ source: 'views.open' }]);
    expect((await web().views.open({ trigger_id, view: form() })).ok).toBe(true);
  });

  test('lead to the modal that the app opened with them', async () => {
    const reaction = await slack.command({ user: slack.people.member, channel: slack.channels.sales });
    await expect(reaction.view(10)).rejects.toThrow('10 ms');
    await web().views.open({ trigger_id: String(reaction.payload.trigger_id), view: form() });
    expect(textOf(await reaction.view())).toContain('Form');
  });
});

describe('the stack', () => {
  test('holds three; opening another replaces it', async () => {
    const root = await open();
    for (const title of ['Two', 'Three']) {
      await web().views.push({ trigger_id: await trigger(), view: form({ title: plain(title) }) });
    }
    const stack = () => slack.views(slack.people.member.id).map((one) => one.view.title.text);
    expect(stack()).toEqual(['Form', 'Two', 'Three']);
    expect(slack.views(slack.people.member.id).at(-1)?.view.root_view_id).toBe(root.id);
    expect(await error(web().views.push({ trigger_id: await trigger(), view: form() }))).toBe(
      'push_limit_reached',
    );
    await open(form({ title: plain('Other') }));
    expect(stack()).toEqual(['Other']);
  });

  test('closing shows the one below, or closes all; the app hears of it if it asked for that', async () => {
    await open();
    const { view } = await web().views.push({ trigger_id: await trigger(), view: form() });
    const { member } = slack.people;
    await slack.closeView({ user: member, view: { id: String(view?.id) } });
    expect(slack.views(member.id)).toHaveLength(1);
    const [left] = slack.views(member.id);
    if (!left) throw new Error('No modal is open.');
    await slack.closeView({ user: member, view: left, all: true });
    expect(slack.views(member.id)).toEqual([]);
    expect(closed).toMatchObject([{ is_cleared: false }, { is_cleared: true }]);
    const quiet = await open(form({ notify_on_close: false }));
    expect(await slack.closeView({ user: member, view: quiet })).toBeUndefined();
    expect(closed).toHaveLength(2);
  });
});

describe('updates', () => {
  test('need the present hash, if they give one, and an open modal', async () => {
    const view = await open();
    const update = (hash?: string) =>
      web().views.update({
        view_id: view.id,
        view: form({ title: plain('New') }),
        ...(hash ? { hash } : {}),
      });
    await update(view.hash);
    expect(slack.view(view.id)?.view.title.text).toBe('New');
    expect(await error(update(view.hash))).toBe('hash_conflict');
    await update();
    await slack.closeView({ user: slack.people.member, view: slack.views(slack.people.member.id)[0] ?? '' });
    expect(await error(update())).toBe('not_found');
  });

  test('find a modal by its external id, which is unique', async () => {
    await open(form({ external_id: 'mine' }));
    await web().views.update({
      external_id: 'mine',
      view: form({ external_id: 'mine', title: plain('New') }),
    });
    expect(slack.views(slack.people.member.id)[0]?.view.title.text).toBe('New');
    const twice = web().views.push({ trigger_id: await trigger(), view: form({ external_id: 'mine' }) });
    expect(await error(twice)).toBe('duplicate_external_id');
  });

  test('keep the typed text if the ids stay', async () => {
    const view = await open();
    slack.fill({ user: slack.people.member, view, values: { Name: 'Ana' } });
    await web().views.update({ view_id: view.id, view: form() });
    expect(slack.view(view.id)?.view.state.values.name?.typed).toEqual({
      type: 'plain_text_input',
      value: 'Ana',
    });
    const [first, ...others] = form().blocks;
    await web().views.update({
      view_id: view.id,
      view: form({ blocks: [{ ...first, block_id: 'b2' } as never, ...others] }),
    });
    expect(slack.view(view.id)?.view.state.values.b2?.typed).toEqual({
      type: 'plain_text_input',
      value: null,
    });
  });

  test('forget the typed text if the ids go, even if they come back', async () => {
    const view = await open();
    slack.fill({ user: slack.people.member, view, values: { Name: 'Ana', Who: 'some' } });
    const [name, ...others] = form().blocks;
    await web().views.update({ view_id: view.id, view: form({ blocks: others }) });
    await web().views.update({ view_id: view.id, view: form({ blocks: [name as never, ...others] }) });
    const { values = {} } = slack.view(view.id)?.view.state ?? {};
    expect(values.name?.typed?.value).toBeNull();
    expect(values.who?.who?.selected_option).toMatchObject({ value: 'some' });
  });
});

describe('submissions', () => {
  const submit = (view: { id: string }, values = { Name: 'Ana' }) =>
    slack.submitView({ user: slack.people.member, view, values });

  test('have the state and close the modal', async () => {
    const view = await open();
    const reaction = await slack.submitView({
      user: slack.people.member,
      view,
      values: { Name: 'Ana', Who: 'SOME' },
    });
    expect(reaction).toMatchObject({ outcome: 'closed', errors: {}, toast: null });
    expect(reaction.payload).toMatchObject({
      type: 'view_submission',
      response_urls: [],
      view: { id: view.id, hash: view.hash },
    });
    expect(acks).toEqual([
      {
        name: { typed: { type: 'plain_text_input', value: 'Ana' } },
        who: { who: { type: 'radio_buttons', selected_option: option('some') } },
        note: { typed: { type: 'plain_text_input', value: null } },
      },
    ]);
    expect(slack.views(slack.people.member.id)).toEqual([]);
    await expect(submit(view)).rejects.toThrow('not open');
    expect((await reaction.resend()).status).toBe(200);
    expect(acks).toHaveLength(2);
  });

  test('are not sent if an input is empty, too short or too long', async () => {
    const view = await open();
    const outcome = async (name: string) => (await submit(view, { Name: name })).errors.name;
    expect(await outcome('')).toContain('required');
    expect(await outcome('A')).toContain('at least 2');
    expect(await outcome('Anabel')).toContain('at most 5');
    expect(acks).toEqual([]);
    expect(textOf(slack.view(view.id) ?? [])).toContain('! Must be at most 5 characters.');
    const forged = { user: slack.people.member, view, values: { Name: 'Anabel' }, forged: true };
    expect((await slack.submitView(forged)).outcome).toBe('closed');
  });

  test('of somebody else’s modal are not possible', async () => {
    const view = await open();
    await expect(slack.submitView({ user: slack.people.colleague, view })).rejects.toThrow('somebody else');
    await expect(submit(view, { Nmae: 'Ana' } as never)).rejects.toThrow('There is no input "Nmae"');
  });

  test('are answered with errors at their inputs', async () => {
    const view = await open();
    answer = { response_action: 'errors', errors: { name: 'Is taken.' } };
    expect(await submit(view)).toMatchObject({ outcome: 'errors', errors: { name: 'Is taken.' } });
    expect(slack.view(view.id)?.errors).toEqual({ name: 'Is taken.' });
    answer = { response_action: 'errors', errors: { nowhere: 'Is taken.' } };
    expect(await submit(view)).toMatchObject({ outcome: 'trouble', toast: 'invalid_errors' });
  });

  test('the app answers with another view, one on top, or closes all', async () => {
    const stack = () => slack.views(slack.people.member.id).map((one) => one.view.title.text);
    const view = await open();
    answer = { response_action: 'update', view: form({ title: plain('Next') }) };
    expect((await submit(view)).outcome).toBe('updated');
    expect(stack()).toEqual(['Next']);
    answer = { response_action: 'push', view: form({ title: plain('Top') }) };
    expect((await submit(view)).outcome).toBe('pushed');
    expect(stack()).toEqual(['Next', 'Top']);
    answer = { response_action: 'update', view: form({ title: plain('x'.repeat(25)) }) };
    expect(await submit(view)).toMatchObject({ outcome: 'trouble', toast: 'invalid_arguments' });
    expect(slack.failures.at(-1)?.messages[0]).toContain('/view/title/text');
    answer = { response_action: 'clear' };
    expect((await submit(view)).outcome).toBe('cleared');
    expect(stack()).toEqual([]);
    expect(slack.calls.filter((call) => call.method === 'ack')).toHaveLength(4);
  });

  test('without an answer leave the modal open', async () => {
    const view = await open();
    slack.setEventsUrl('http://127.0.0.1:1/slack/events');
    expect(await submit(view)).toMatchObject({ outcome: 'trouble', toast: 'dispatch_failed' });
    expect(slack.view(view.id)?.view.state.values.name?.typed).toMatchObject({ value: 'Ana' });
  });
});

describe('elements in modals', () => {
  test('send actions with the view and its state', async () => {
    const view = await open();
    const { member } = slack.people;
    slack.fill({ user: member, view, values: { Name: 'Ana' } });
    const { payload } = await slack.clickInView({ user: member, view, text: 'More' });
    expect(payload).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: view.id },
      view: { id: view.id, state: { values: { name: { typed: { value: 'Ana' } } } } },
      actions: [{ action_id: 'more' }],
    });
    expect(payload).not.toHaveProperty('response_url');
  });

  test('ask the app for the options of external menus', async () => {
    const { member } = slack.people;
    const element = { type: 'external_select' as const, action_id: 'pick', min_query_length: 0 };
    const view = await open(
      form({ blocks: [{ type: 'input', block_id: 'p', label: plain('Pick'), element }] }),
    );
    const { body } = await slack.suggest({ user: member, view, action_id: 'pick', query: 'abc' });
    expect(body).toEqual({ options: [option('abc')] });
    await slack.submitView({ user: member, view, values: { Pick: option('abc') } });
    expect(acks).toEqual([{ p: { pick: { type: 'external_select', selected_option: option('abc') } } }]);
  });
});
