import { textOf } from 'slack-playground';
import { beforeAll, describe, expect, it } from 'vitest';
import { linkedWorldsOfFile } from '../helpers/linked-worlds-of-file.ts';
import { SHORT_WAITS, type World } from '../helpers/world.ts';
import { fileFor } from '../helpers/world-bulk.ts';
import { ACME_KEY, answerTo, ask, directOf, eventually, rows, sendText } from '../helpers/world-steps.ts';

const newWorld = linkedWorldsOfFile();
let world: World;
beforeAll(async () => {
  world = await newWorld(
    { env: { ...SHORT_WAITS, BALANCE_POLL_MS: '1000' } },
    { values: { 'Low-credit threshold': '0' } },
  );
});

const credits = () => world.service.state().accounts.find(({ user_id }) => user_id === 1)?.credits;

/** Another program sends texts with the same key. */
async function foreignTexts(count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => ({ phone: '447700900123', message: 'Mine' }));
  const answer = await fetch(`${world.service.url}/messages/send-bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ACME_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  });
  expect(answer.status).toBe(201);
}

async function statement(): Promise<string> {
  return ask(world, 'statement', { user: world.slack.people.admin });
}

/** Asks for the statement until it says so: a poll has to see the change first. */
async function statementSaying(words: RegExp): Promise<string> {
  for (let tries = 0; tries < 40; tries += 1) {
    const found = await statement();
    if (words.test(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`the statement does not say ${words}: ${await statement()}`);
}

function figureOf(text: string, line: RegExp): number {
  const [, figure = ''] =
    new RegExp(`${line.source}[^\\n]*?\\|?\\s*([+−]?[\\d,]+)\\s*\\|?$`, 'm').exec(text) ?? [];
  return Number(figure.replaceAll(',', '').replace('−', '-').replace('+', ''));
}

describe('a statement', () => {
  it('adds up to the credit, over sends, an unknown text, a foreign client, a top-up and a restart', async () => {
    const { service, slack } = world;
    const { admin } = slack.people;
    await statementSaying(/Closing balance/);
    await sendText(world, '+442079460801 One');
    await sendText(world, '+442079460802 Two');
    service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
    await sendText(world, '+442079460803 Three');
    await statementSaying(/probably for unknown messages/);
    await foreignTexts(60);
    await eventually(() => directOf(world, admin).some((text) => text.includes('60 credits used')));
    await eventually(() => rows(world, "SELECT id FROM outbox WHERE state <> 'posted'").length === 0);
    await world.kill();
    service.topUp(1, 500);
    await world.start();
    await sendText(world, '+442079460804 Four');
    const shown = await statementSaying(/Topped up[^\n]*500/);
    expect(credits()).toBe(1000 - 3 - 1 - 60 + 500);
    expect({
      opening: figureOf(shown, /Opening balance/),
      messages: figureOf(shown, /Used by \d+ messages?/),
      unknown: figureOf(shown, /Used by unknown messages/),
      elsewhere: figureOf(shown, /Used elsewhere/),
      toppedUp: figureOf(shown, /Topped up/),
      closing: figureOf(shown, /Closing balance/),
    }).toEqual({
      opening: 1000,
      messages: -3,
      unknown: -1,
      elsewhere: -60,
      toppedUp: 500,
      closing: credits(),
    });
    expect(shown).not.toContain('Not explained');
    expect(shown).toContain('*Outcomes* · 3 sent · 0 not sent · 1 unknown');
    const drifts = directOf(world, admin).filter((text) => text.includes('Somebody else uses'));
    expect(drifts).toHaveLength(1);
    expect(drifts[0]).toMatch(/60 credits used .*, not by this bot/);
  });

  it('shows the outcomes of texts, day by day, in a message of its own', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const message = await answerTo(world, 'statement', { user: admin });
    await slack.click({ user: admin, message, text: 'Outcomes by day' });
    const shown = await slack.waitFor(() =>
      slack.ephemerals(admin.id).find((one) => textOf(one).includes('Outcomes by day* of account')),
    );
    expect(textOf(shown)).toContain('3 sent · 0 not sent · 1 unknown');
    expect(JSON.stringify(shown.blocks)).toContain('data_visualization');
  });

  it('comes as a CSV file whose rows add up', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const message = await answerTo(world, 'statement', { user: admin });
    await slack.click({ user: admin, message, text: 'Export CSV' });
    const lines = await eventually(() => fileFor(world, admin, /^statement\.csv$/));
    const figures = lines.slice(1).map((row) => Number(row.at(-1)));
    expect(figures.at(-1)).toBe(credits());
    expect(figures.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(credits());
    expect(lines.map(([line]) => line)).toContain('used elsewhere');
  });

  it('comes as a file alone if Slack does not take its picture, and says so', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const message = await answerTo(world, 'statement', { user: admin });
    slack.fault({ method: 'upload_url', fault: { kind: 'refused', error: 'no_such_place' } });
    const click = await slack.click({ user: admin, message, text: 'Export CSV' });
    expect(textOf(await click.reply())).toBe(
      '✅ The statement is in your direct messages, as a CSV file.\nSlack did not take its picture.',
    );
  });

  it('is about other days, if an admin asks for them', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const message = await answerTo(world, 'statement', { user: admin });
    await slack.click({ user: admin, message, action_id: 'choose_statement_days', value: 'Last month' });
    const shown = await slack.waitFor(() =>
      slack.ephemerals(admin.id).find((one) => textOf(one).includes('Our records of this account begin on')),
    );
    // Days without a statement have nothing to export.
    expect(textOf(shown)).not.toMatch(/\[Export CSV\]|\[Outcomes by day\]/);
  });

  it('is for admins only, not by forged clicks either', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const refusal = 'Only admins can use `/sms statement`';
    expect(await ask(world, 'statement')).toContain(refusal);
    const message = await answerTo(world, 'statement', { user: admin });
    const refused = () => slack.ephemerals(member.id).filter((one) => textOf(one).includes(refusal)).length;
    for (const target of [
      { text: 'Export CSV' },
      { text: 'Outcomes by day' },
      { action_id: 'choose_statement_days', value: 'Last month' },
      { action_id: 'choose_statement_days', value: 'Other dates…' },
    ]) {
      const before = refused();
      await slack.click({ user: member, message, forged: true, ...target });
      await eventually(() => refused() > before);
    }
    expect(fileFor(world, member, /statement/)).toBeUndefined();
  });
});
