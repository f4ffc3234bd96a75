import { createSandbox, type Sandbox } from 'credit-sandbox';
import type { Playground } from 'slack-playground';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFactReader } from '../../local/bot-facts.ts';
import { createPanels, LOST_ANSWER } from '../../local/panels.ts';
import { createSteps, type Steps } from '../../local/steps.ts';
import { startPlayground } from '../../packages/slack-playground/test/helpers/slack-bot.ts';

const KEY = 'sandbox-key-acme-0001';

describe('the steps of Try this', () => {
  let sandbox: Sandbox;
  let slack: Playground;
  let steps: Steps;
  beforeEach(async () => {
    sandbox = await createSandbox();
    slack = await startPlayground();
    const panels = createPanels(sandbox);
    const loseAnswer = () => panels.act('fault', { id: LOST_ANSWER, on: true });
    steps = createSteps({ slack, sandbox, loseAnswer });
  });
  afterEach(() => Promise.all([sandbox.close(), slack.close()]));

  const done = () =>
    steps
      .state()
      .steps.filter((step) => step.done)
      .map(({ id }) => id);
  const say = (text: string) => slack.say({ user: slack.bot.user_id, channel: slack.channels.sales, text });
  /** A request of the bot's to the service; undefined where its answer is lost. */
  const ask = (path: string, body?: object) =>
    fetch(sandbox.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
  const sendText = () => ask('/messages/send', { phone: '442079460958', message: 'Hello' });

  it('are not done by the bot’s words, whatever they are', async () => {
    steps.start('run_low');
    steps.start('lose_answer');
    await sendText();
    say('It is *unknown*. Credits are running low, no credits left, too few credits.');
    expect(done()).toEqual(['send']);
  });

  it('Link is done when the key worked and the bot tells the channel', async () => {
    say('Hello');
    expect(done()).toEqual([]);
    await ask('/user/balance');
    expect(done()).toEqual([]);
    say('Hello again');
    expect(done()).toEqual(['link']);
  });

  it('Lose an answer arms its fault, and is done when the bot counts a request as unknown', async () => {
    steps.botDid({ becomes: 'unknown' });
    steps.start('lose_answer');
    expect(await sendText()).toBeUndefined();
    expect(done()).toEqual(['send']);
    steps.botDid({ becomes: 'sent' });
    expect(done()).toEqual(['send']);
    steps.botDid({ becomes: 'unknown' });
    expect(done()).toEqual(['send', 'lose_answer']);
  });

  it('Run low leaves few credits, and is done when the bot posted its warning', () => {
    steps.botDid({ posted: 'low_credit' });
    steps.start('run_low');
    expect(sandbox.credits(1)).toBe(42);
    steps.botDid({ posted: 'receipt' });
    expect(done()).toEqual([]);
    steps.botDid({ posted: 'low_credit' });
    expect(done()).toEqual(['run_low']);
  });

  it('Act as a guest is done by a guest’s command, once a channel is linked', async () => {
    steps.commandTyped(slack.people.guest);
    expect(done()).toEqual([]);
    await ask('/user/balance');
    say('Linked');
    steps.commandTyped(slack.people.member);
    expect(done()).toEqual(['link']);
    steps.commandTyped(slack.people.guest);
    expect(done()).toEqual(['link', 'guest']);
  });

  it('Text a list copies a list, and is done when a text arrives once the bot posted its card', async () => {
    const step = steps.state().steps.find(({ id }) => id === 'text_list');
    expect(step?.copies?.text).toMatch(/^phone,name\n\+44 20 7946 0101,Ana\n/);
    await sendText();
    expect(done()).toEqual(['send']);
    steps.botDid({ posted: 'job' });
    expect(done()).toEqual(['send']);
    await sendText();
    expect(done()).toEqual(['send', 'text_list']);
  });

  it('the key is there to copy until Link is done', async () => {
    expect(steps.state().key?.key).toBe(KEY);
    expect(steps.state().steps[0]?.copies?.text).toBe(KEY);
    await ask('/user/balance');
    say('Linked');
    expect(steps.state().key).toBeUndefined();
    expect(steps.state().steps[0]?.copies).toBeUndefined();
  });

  it('there is no other step', () => {
    expect(() => steps.start('x')).toThrow('There is no such step.');
  });
});

describe('what panels may ask for', () => {
  it.each([
    ['credits', { account: 1, credits: -1 }],
    ['credits', { account: 1, credits: 1.5 }],
    ['fault', { id: 'hangs' }],
    ['refused-lists', {}],
    ['something', {}],
  ])('%s refuses %j', async (action, body) => {
    const sandbox = await createSandbox();
    const before = sandbox.state();
    expect(() => createPanels(sandbox).act(action, body)).toThrow(/\.$/);
    expect(sandbox.state()).toEqual(before);
    await sandbox.close();
  });
});

it('the bot’s log is read in parts as they come; what is no JSON is no fact', () => {
  const facts: object[] = [];
  const read = createFactReader((fact) => facts.push(fact));
  read('Warning: of Node\n{"msg":"request settled","becomes":"unk');
  read('nown"}\n{"posted":"low_credit"}\n42\n{"posted"');
  expect(facts).toEqual([{ becomes: 'unknown' }, { posted: 'low_credit' }]);
});
