import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, SHORT_WAITS, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { ask, eventually, link, sendText } from '../helpers/world-steps.ts';

interface Line {
  msg: string;
  send?: string;
  request?: string;
  [field: string]: unknown;
}

/** The log's ids lead from a person's command to the answer. */
describe('the trail of a send in the log', () => {
  let world: World;
  const lines = () =>
    world
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  /** A send's log lines, in order. */
  const trailOf = (send: string | undefined) => lines().filter((line) => line.send === send);
  const withRequestLog = (request: string | undefined) => lines().filter((line) => line.request === request);
  let drafts = 0;
  /** The log line of the newest draft. Lines arrive here a moment after the bot writes them. */
  const drafted = async () => {
    drafts += 1;
    return eventually(() => lines().filter(({ msg }) => msg === 'a draft was made')[drafts - 1]);
  };
  /** Waits for the line that says that the bot posted this row, after the send had its answer. */
  const posted = (topic: string, send: string | undefined) =>
    eventually(() => {
      const trail = trailOf(send);
      const settled = trail.findIndex(({ msg }) => msg === 'request settled');
      return settled >= 0 && trail.slice(settled).some(({ row }) => row === `${topic}:${send}`);
    });

  beforeAll(async () => {
    world = await createWorld({ env: { ...SHORT_WAITS, LOG_LEVEL: 'info' } });
    await world.start();
    await link(world);
  });
  afterAll(() => world.close());

  it('a text: command, draft, decision, request and receipt', async () => {
    await sendText(world, '+442079461501 Hello');
    const draft = await drafted();
    await posted('receipt', draft.send);
    await posted('line', draft.send);
    const trail = trailOf(draft.send);
    expect(trail.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        'a draft was made',
        'somebody pressed Send or Send anyway',
        'request settled',
        'a message was posted',
      ]),
    );
    expect(trail.find(({ msg }) => msg === 'somebody pressed Send or Send anyway')?.result).toBe('running');
    expect(trail.find(({ msg }) => msg === 'request settled')).toMatchObject({
      outcome: 'accepted',
      becomes: 'sent',
    });

    expect(withRequestLog(draft.request)).toEqual([
      expect.objectContaining({ msg: 'a command was typed', command: 'send' }),
      draft,
    ]);
    const decision = trail.find(({ msg }) => msg === 'somebody pressed Send or Send anyway');
    expect(decision?.request).not.toBe(draft.request);
    expect(withRequestLog(decision?.request).map(({ msg }) => msg)).toEqual([
      'a button was pressed',
      'somebody pressed Send or Send anyway',
    ]);
  });

  it('an unknown text: the balance’s evidence about it, too', async () => {
    world.service.addFault({ kind: 'reset', endpoint: 'send' });
    await sendText(world, '+442079461504 Hello');
    const draft = await drafted();
    const evidence = await eventually(() =>
      trailOf(draft.send).find(({ msg }) => msg === 'evidence recorded'),
    );
    expect(evidence.verdict).toBe('probably_sent');
  });

  it('a list: form, draft, decision, each request, card', async () => {
    const recipients = '+442079461502\n+442079461503';
    await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
    await cardSaying(world, /Finished/);
    const draft = await drafted();
    await posted('job', draft.send);
    expect(withRequestLog(draft.request)[0]).toMatchObject({
      msg: 'a form was submitted',
      form: 'bulk_form',
    });
    const trail = trailOf(draft.send);
    expect(trail.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['somebody pressed Send', 'request settled', 'a message was posted']),
    );
    expect(trail.find(({ msg }) => msg === 'request settled')).toMatchObject({ chunk: 0, size: 1 });
  });

  it('an error that a person met is logged with their command’s id', async () => {
    world.slack.fault({ method: 'users.info', fault: { kind: 'refused', error: 'fatal_error' } });
    const { people, channels } = world.slack;
    await ask(world, 'balance', { user: people.colleague, channel: channels.sales });
    const failed = await eventually(() =>
      lines().findLast(({ msg }) => msg.startsWith('Slack did not say who')),
    );
    expect(failed.request).toMatch(/^[0-9a-f]{8}$/);
  });

  it('a word that is no command is not repeated: it may be a key', async () => {
    await ask(world, 'sandbox-key-acme-0001');
    await eventually(() => lines().some(({ command }) => command === 'unknown'));
    expect(world.output()).not.toContain('sandbox-key');
  });
});
