import { type Choice, type OpenView, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHECK_TEXT } from '../../src/core/accounts/list-refusal-check.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { ask, eventually, formOf, link } from '../helpers/world-steps.ts';

const OWN = '447700900999';
const START = { 'Your own phone': '+44 7700 900999' };
const QUESTION = 'How does my provider refuse?';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    env: { SMS_RATE_LIMIT: '1000', SMS_BULK_MIN_RECIPIENTS: '2', BULK_CHUNK_SIZE: '2' },
    sandbox: { switches: { rateLimit: 1000 } },
  });
  await world.start();
  await link(world);
});
afterAll(() => world.close());
afterEach(() => {
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

const bulkRequests = () => world.service.requests.filter(({ endpoint }) => endpoint === 'bulk').length;
const arrived = () => world.service.messages.some(({ phone }) => phone === OWN);

async function openSettings(): Promise<OpenView> {
  const { slack } = world;
  const { admin } = slack.people;
  return formOf(slack, await slack.command({ user: admin, channel: slack.channels.sales, text: 'settings' }));
}

/** Opens the check's form, on top of the settings. */
async function openCheck(): Promise<OpenView> {
  const { slack } = world;
  const click = await slack.clickInView({
    user: slack.people.admin,
    view: await openSettings(),
    text: QUESTION,
  });
  return formOf(slack, click);
}

/** Submits a form as it is now; resolves with the view in its place, once its words match. */
async function submit(view: OpenView, values: Record<string, Choice>, words: RegExp): Promise<OpenView> {
  const { slack } = world;
  const now = slack.view(view.view.id) ?? view;
  const done = await slack.submitView({ user: slack.people.admin, view: now, values });
  expect(done.errors).toEqual({});
  return saying(view, words);
}

function saying({ view }: OpenView, words: RegExp): Promise<OpenView> {
  return world.slack.waitFor(() => {
    const shown = world.slack.view(view.id);
    return shown && words.test(textOf(shown)) ? shown : undefined;
  });
}

describe('the check of refused lists', () => {
  it('says what it does and costs, sends one request for two clicks, asks, proposes, and keeps what was seen', async () => {
    const { slack } = world;
    const user = slack.people.admin;
    const form = await openCheck();
    expect(textOf(form)).toMatch(/one request with two texts[\s\S]*at most 2 credits/);
    const wrong = await slack.submitView({ user, view: form, values: { 'Your own phone': '0999' } });
    expect(wrong.errors).toEqual({ own_phone: expect.stringContaining('No country code') });
    expect(bulkRequests()).toBe(0);

    const twice = slack.submitView({ user, view: form, values: START, forged: true });
    await submit(form, START, /Sending the two texts|is running/);
    await twice;
    const question = await saying(form, /The service refused the two texts/);
    expect(textOf(question)).toMatch(
      /0 credits charged\.\nBalance before the request, then after it: 1,000 → 1,000 → 1,000/,
    );
    expect(textOf(question)).toContain(CHECK_TEXT);
    expect(bulkRequests()).toBe(1);
    expect(arrived()).toBe(false);

    const decision = await submit(form, { 'Did the text arrive?': 'no' }, /send nothing of a list/);
    expect(decision.view.state.values.refusals).toMatchObject({
      refusals: { selected_option: { value: 'atomic' } },
    });
    const seen =
      /the provider sends nothing of a list that it refuses\nChecked by <@U0ADMIN001>.*: refused with 422, 0 credits charged, no text arrived/;
    await submit(form, {}, seen);
    expect(await ask(world, 'status', { user })).toMatch(seen);
    expect(await ask(world, 'status')).not.toContain('Refused lists');
    const settings = await openSettings();
    expect(textOf(settings)).toMatch(/Checked by <@U0ADMIN001>.*, no text arrived/);
    expect(settings.view.state.values.refusals).toMatchObject({
      refusals: { selected_option: { value: 'atomic' } },
    });
    expect(world.output() + JSON.stringify(slack.calls) + world.dataBytes()).not.toMatch(
      /7700 ?900999|(?<![\d.])99900/,
    );
  });

  it('closed meanwhile: the result comes as a direct message, and the check goes on there', async () => {
    const { slack, service } = world;
    const user = slack.people.admin;
    service.setSwitches({ bulkRefusal: { kind: 'rolls_back' } });
    const form = await openCheck();
    const submitted = slack.submitView({ user, view: form, values: START });
    await saying(form, /Sending the two texts/);
    await slack.closeView({ user, view: form, all: true });
    await submitted;
    const told = await eventually(() =>
      slack
        .history(slack.directMessage(user.id).id)
        .findLast((one) => textOf(one).includes('Finish the check')),
    );
    expect(textOf(told)).toMatch(/refused the two texts[\s\S]*0 credits charged/);
    expect(arrived()).toBe(true);
    const click = await slack.click({ user, message: told, text: 'Finish the check' });
    const question = await formOf(slack, click);
    const decision = await submit(question, { 'Did the text arrive?': 'yes' }, /sends a part of a list/);
    expect(decision.view.state.values.refusals).toMatchObject({
      refusals: { selected_option: { value: 'unproven' } },
    });
    await submit(
      question,
      {},
      /the provider may send a part of a list that it refuses\nChecked by .*, a text arrived/,
    );
    service.setSwitches({ bulkRefusal: { kind: 'whole' } });
    expect(bulkRequests()).toBe(2);
  });

  it('is on the card of a job whose list was refused: for admins, others read who can start it', async () => {
    const { slack, service } = world;
    service.setSwitches({ refusedPhones: ['447700900111'] });
    const preview = await draftBulk(world, {
      recipients: Array.from({ length: 40 }, (_, place) => `+4477009001${10 + place}`).join('\n'),
      message: 'Hello',
    });
    await confirmBulk(world, preview);
    const card = await cardSaying(world, /\*Paused\*/);
    service.setSwitches({ refusedPhones: [] });
    expect(textOf(card)).toContain(`[${QUESTION}]`);
    const member = await slack.click({ user: slack.people.member, message: card, text: QUESTION });
    expect(textOf(await member.reply())).toMatch(/Only admins can check.*ask <@U0ADMIN001>/s);
    const user = slack.people.admin;
    const before = bulkRequests();
    const form = await formOf(slack, await slack.click({ user, message: card, text: QUESTION }));
    const { errors = {} } = await slack.submitView({ user, view: form, values: START });
    expect(Object.values(errors).join()).toMatch(
      /still checking the balance for unknown texts.*Nothing was sent/s,
    );
    expect(bulkRequests()).toBe(before);
  });

  it('of others does nothing: not by forged forms either', async () => {
    const { slack } = world;
    const before = bulkRequests();
    for (const user of [slack.people.member, slack.people.guest]) {
      const form = await openCheck();
      await slack.submitView({ user, view: form, values: START, forged: true });
      expect(textOf(await saying(form, /Only admins/))).toContain('Please ask <@U0ADMIN001>');
    }
    expect(bulkRequests()).toBe(before);
  });
});

describe('the settings', () => {
  it('set the rule by hand, and whether other programs use the key; a value that nobody changes keeps its source', async () => {
    const { slack } = world;
    const user = slack.people.admin;
    await submit(await openSettings(), { 'Low-credit threshold': '7' }, /Saved/);
    expect(textOf(await openSettings())).toContain('Checked by <@U0ADMIN001>');
    const values = { 'Refused lists': 'atomic', 'Shared key': ['shared_key'] };
    await submit(await openSettings(), values, /Saved/);
    const form = await openSettings();
    expect(textOf(form)).toContain('Set by <@U0ADMIN001>');
    expect(form.view.state.values).toMatchObject({
      refusals: { refusals: { selected_option: { value: 'atomic' } } },
      shared_key: { shared_key: { selected_options: [{ value: 'shared_key' }] } },
    });
    expect(textOf(form)).toContain('jobs go on with a warning');
    await slack.closeView({ user, view: form });
  });
});
