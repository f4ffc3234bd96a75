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
    const loseAnswer = (on: boolean) => panels.act('fault', { id: LOST_ANSWER, on });
    steps = createSteps({ slack, sandbox, loseAnswer });
  });
  afterEach(() => Promise.all([sandbox.close(), slack.close()]));

  const done = () =>
    steps
      .state()
      .steps.filter((step) => step.done)
      .map(({ id }) => id);
  const say = (text: string) => slack.say({ user: slack.bot.user_id, channel: slack.channels.sales, text });
  /** Sends a request to the service as the bot; undefined if the answer is lost. */
  const ask = (path: string, body?: object) =>
    fetch(sandbox.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
  const linked = (is: boolean, channel = slack.channels.sales) =>
    steps.botDid({ channel: channel.id, linked: is });
  /** Does step 1. */
  const link = () => linked(true);
  const faults = () => sandbox.state().faults.length;
  const sendText = () => ask('/messages/send', { phone: '442079460958', message: 'Hello' });

  it('are not done by the bot’s words, whatever they are', async () => {
    link();
    steps.start('run_low');
    steps.start('lose_answer');
    await sendText();
    say('It is *unknown*. Credits are running low, no credits left, too few credits.');
    expect(done()).toEqual(['link', 'send']);
  });

  it('Link is done as long as #sales is linked; the other steps need it again after that', async () => {
    await ask('/user/balance');
    say('Linked');
    expect(done()).toEqual([]);
    linked(true);
    await sendText();
    expect(done()).toEqual(['link', 'send']);
    linked(false);
    expect(done()).toEqual(['send']);
    expect(steps.state().key?.key).toBe(KEY);
    expect(() => steps.start('send')).toThrow('Do step 1 first');
    linked(true);
    expect(done()).toEqual(['link', 'send']);
  });

  it('Link is about #sales, and no other channel', () => {
    linked(true, slack.channels.leads);
    expect(done()).toEqual([]);
    linked(true);
    linked(false, slack.channels.leads);
    expect(done()).toEqual(['link']);
  });

  it.each(['send', 'lose_answer', 'run_low', 'guest', 'text_list'])(
    '%s needs a linked channel: before, it changes nothing and says so',
    (id) => {
      const before = sandbox.state();
      const problem = 'Do step 1 first: #sales has no credits yet.';
      expect(steps.state().steps.find((step) => step.id === id)?.needs).toBe(problem);
      expect(() => steps.start(id)).toThrow(problem);
      expect(sandbox.state()).toEqual(before);
    },
  );

  it('Lose an answer switches on its fault, and is done when the balance has said something about the text', async () => {
    link();
    steps.botDid({ becomes: 'unknown' });
    steps.botDid({ verdict: 'undecided' });
    steps.start('lose_answer');
    expect(await sendText()).toBeUndefined();
    steps.botDid({ becomes: 'sent' });
    steps.botDid({ becomes: 'unknown' });
    expect(done()).toEqual(['link', 'send']);
    steps.botDid({ verdict: 'probably_sent' });
    expect(done()).toEqual(['link', 'send', 'lose_answer']);
  });

  it('Run low waits while the bot checks the balance for a lost answer', async () => {
    link();
    steps.start('lose_answer');
    await sendText();
    steps.botDid({ becomes: 'unknown' });
    expect(() => steps.start('run_low')).toThrow('still checking the balance for step 3.');
    expect(sandbox.credits(1)).toBe(999);
    // Somebody pressed It arrived: first without success.
    steps.botDid({ result: 'too_late' });
    expect(done()).toEqual(['link', 'send']);
    steps.botDid({ result: 'decided' });
    expect(done()).toEqual(['link', 'send', 'lose_answer']);
    steps.start('run_low');
    expect(sandbox.credits(1)).toBe(42);
  });

  it('another step switches off the fault of Lose an answer, but not one that a person switched on', async () => {
    link();
    steps.start('lose_answer');
    steps.start('lose_answer');
    expect(faults()).toBe(1);
    steps.start('send');
    expect(faults()).toBe(0);
    steps.start('lose_answer');
    await sendText();
    createPanels(sandbox).act('fault', { id: LOST_ANSWER, on: true });
    steps.start('send');
    expect(faults()).toBe(1);
  });

  it('Run low takes most credits, and is done when the bot posted its warning', async () => {
    link();
    steps.botDid({ posted: 'low_credit' });
    steps.start('run_low');
    expect(sandbox.credits(1)).toBe(42);
    steps.botDid({ posted: 'receipt' });
    expect(done()).toEqual(['link']);
    steps.botDid({ posted: 'low_credit' });
    expect(done()).toEqual(['link', 'run_low']);
  });

  it('another step gives back what Run low took, also after a restart of the playground', async () => {
    link();
    steps.start('run_low');
    steps.start('run_low');
    await sendText();
    expect(sandbox.credits(1)).toBe(41);
    steps.restore(JSON.parse(JSON.stringify(steps.snapshot())));
    steps.start('guest');
    expect(sandbox.credits(1)).toBe(999);
    steps.start('send');
    expect(sandbox.credits(1)).toBe(999);
  });

  it('if somebody topped up after Run low, the next step gives nothing back', async () => {
    link();
    steps.start('run_low');
    sandbox.setCredits(1, 500);
    steps.start('guest');
    expect(sandbox.credits(1)).toBe(500);
  });

  it('a snapshot of an older version works', () => {
    steps.restore({ done: ['link'], facts: ['key_worked'] });
    expect(done()).toEqual(['link']);
    steps.start('run_low');
    expect(sandbox.credits(1)).toBe(42);
  });

  it('Act as a guest is done by a guest’s command, once a channel is linked', async () => {
    steps.commandTyped(slack.people.guest);
    expect(done()).toEqual([]);
    link();
    steps.commandTyped(slack.people.member);
    expect(done()).toEqual(['link']);
    steps.commandTyped(slack.people.guest);
    expect(done()).toEqual(['link', 'guest']);
  });

  it('Text a list copies a list, and is done when the list’s card is there and its texts are sent', () => {
    const step = steps.state().steps.find(({ id }) => id === 'text_list');
    expect(step?.copies?.text).toMatch(/^phone,name\n\+44 20 7946 0101,Ana\n/);
    steps.botDid({ send: 'text', becomes: 'sent' });
    steps.botDid({ send: 'text', posted: 'receipt' });
    steps.botDid({ send: 'list', posted: 'job' });
    steps.botDid({ send: 'list', becomes: 'rejected' });
    steps.botDid({ send: 'list', posted: 'job' });
    expect(done()).toEqual([]);
    steps.botDid({ send: 'list', becomes: 'sent' });
    steps.botDid({ send: 'list', posted: 'job' });
    expect(done()).toEqual(['text_list']);
  });

  it('Text a list is done, too, if its texts are sent before its card is up', () => {
    steps.botDid({ send: 'list', becomes: 'sent' });
    steps.botDid({ send: 'list', posted: 'job' });
    expect(done()).toEqual(['text_list']);
  });

  it('the key is there to copy until Link is done', async () => {
    expect(steps.state().key?.key).toBe(KEY);
    expect(steps.state().steps[0]?.copies?.text).toBe(KEY);
    link();
    expect(steps.state().key).toBeUndefined();
    expect(steps.state().steps[0]?.copies).toBeUndefined();
  });

  it('there is no other step', () => {
    expect(() => steps.start('x')).toThrow('There is no such step.');
  });
});

describe('the requests that panels may make', () => {
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

it('reads the bot’s log in parts, and ignores lines that are not JSON', () => {
  const facts: object[] = [];
  const read = createFactReader((fact) => facts.push(fact));
  read('Warning: of Node\n{"msg":"request settled","becomes":"unk');
  read('nown"}\n{"posted":"low_credit"}\n42\n{"posted"');
  expect(facts).toEqual([{ becomes: 'unknown' }, { posted: 'low_credit' }]);
});
