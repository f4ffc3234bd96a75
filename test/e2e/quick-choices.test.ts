import { type OpenView, textOf } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { link, loaded, openModal } from '../helpers/world-steps.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
  await link(world);
});
afterAll(() => world.close());

/** A form of a channel, and all calls of Slack's views since it was opened. */
async function opened(text: 'link' | 'settings' = 'link') {
  const { slack } = world;
  const { admin: user } = slack.people;
  const form = await loaded(slack, await openModal(slack, { user, channel: slack.channels.sales, text }));
  const before = slack.calls.length;
  const calls = () => slack.calls.slice(before).filter(({ method }) => method.startsWith('views.'));
  const choose = (action_id: string, value: string) =>
    slack.clickInView({ user, view: form, action_id, value });
  return { form, calls, choose, now: () => textOf(slack.view(form.view.id) ?? form) };
}

function chosenInstance({ view }: OpenView): string {
  const [chosen] = Object.values(view.state.values.instance ?? {});
  return String((chosen as { selected_option?: { value: string } }).selected_option?.value);
}

it('two quick choices in a menu of a form: the later one counts, and nobody reads an apology', async () => {
  const { slack } = world;
  const { form, calls, choose, now } = await opened();
  const known = chosenInstance(form);
  // Both are made before Slack shows what came of the first.
  await Promise.all([choose('choose_instance', 'new'), choose('choose_instance', known)]);
  await slack.waitFor(() => calls().length === 2);
  await slack.waitFor(() => !now().includes('API key:'));
  expect(calls().map(({ method, result }) => [method, result.ok])).toEqual([
    ['views.update', true],
    ['views.update', true],
  ]);
});

it('quick choices in two menus both show', async () => {
  const { slack } = world;
  const { calls, choose, now } = await opened();
  await Promise.all([choose('choose_instance', 'new'), choose('choose_who_can_send', 'chosen')]);
  await slack.waitFor(() => calls().length === 2);
  expect(now()).toMatch(/API key:.*People:/s);
});

it('a choice leaves the words of the form as they were, also those that Slack escapes', async () => {
  const { slack } = world;
  const key = 'research-key-0009';
  world.service.addKey({ name: key, key, user_id: 1 });
  await link(world, {
    channel: slack.channels.leads,
    name: 'R&D & <Sales> & Support & Marketing & Research & More',
    key,
  });
  const { calls, choose, now } = await opened();
  expect(now()).toContain('R&D & <Sales>');
  const before = now();
  await choose('choose_who_can_send', 'admins');
  await slack.waitFor(() => calls().length === 1);
  expect(calls()[0]?.result.ok).toBe(true);
  expect(now().replace('[Only admins ▾', '[Everyone in this channel ▾')).toBe(before);
});

it('a choice that the bot hears of after the form was submitted changes nothing', async () => {
  const { slack } = world;
  const { admin: user } = slack.people;
  const { form, calls, choose, now } = await opened();
  await Promise.all([choose('choose_who_can_send', 'admins'), slack.submitView({ user, view: form })]);
  await slack.waitFor(() => now().includes('*Linked*'));
  await slack.waitFor(() => calls().some(({ method }) => method === 'views.update'));
  expect(calls().filter(({ method }) => method === 'views.push')).toEqual([]);
  expect(now()).toContain('*Linked*');
});

it.each([
  ['link', 'choose_instance', 'new', 'API key:', /fields for the new key come in a moment/],
  ['link', 'choose_who_can_send', 'chosen', 'People:', /at least one person/],
  ['settings', 'choose_who_can_send', 'chosen', 'People:', /at least one person/],
] as const)(
  'the %s form shows what a choice needs once it is submitted, if two bots changed the form at once (%s)',
  async (text, menu, value, needed, why) => {
    const { slack } = world;
    const { admin: user } = slack.people;
    const { form, calls, choose, now } = await opened(text);
    // Slack refuses the change of the bot that saw the form of before.
    slack.fault({ method: 'views.update', fault: { kind: 'refused', error: 'hash_conflict' } });
    await choose(menu, value);
    await slack.waitFor(() => calls().length === 1);
    expect(now()).not.toContain(needed);
    const { errors } = await slack.submitView({ user, view: slack.view(form.view.id) ?? form });
    expect(Object.values(errors ?? {}).join()).toMatch(why);
    await slack.waitFor(() => now().includes(needed));
  },
);
