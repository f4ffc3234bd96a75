import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, textOf } from 'slack-playground';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import {
  arrivalsAt,
  directOf,
  draft,
  eventually,
  historyOf,
  link,
  press,
  rows,
} from '../helpers/world-steps.ts';

/** ms from the click to kill -9: dense where ack, decision, intent, request, answer and receipt follow each other. */
const MOMENTS = [0, 3, 6, 9, 11, 13, 16, 20, 25, 30, 40, 60, 120];

/** One confirmation and what is known of it. */
interface Confirmation {
  phone: string;
  preview: Ephemeral;
  killedAfterMs: number;
}

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

async function killAtEach(moments: number[], serviceMs: (index: number) => number, prefix: string) {
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 10_000 } },
    env: { SMS_TIMEOUT_MS: '400', SMS_ATTEMPT_LEASE_MS: '1000', SMS_RATE_LIMIT: '10000' },
  });
  worlds.push(world);
  const { service, slack } = world;
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  const confirmations: Confirmation[] = [];
  for (const [index, killedAfterMs] of moments.entries()) {
    const phone = `${prefix}${String(index).padStart(2, '0')}`;
    const preview = await draft(world, `+${phone} Text ${index}`);
    const ms = serviceMs(index);
    if (ms > 0)
      service.addFault({ kind: 'delay', ms, when: index % 2 ? 'before' : 'after', endpoint: 'send' });
    const click = slack.click({ user: preview.to, message: preview, text: 'Send' });
    await sleep(killedAfterMs);
    await world.kill();
    await click;
    service.clearFaults();
    await world.start();
    // The click may have been lost with the process: people press again, and whatever was decided says so.
    await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    // Slack is asked before the decision: the second press must not be cut off by the next kill.
    const isPressed = () => {
      const own = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      return !own || !textOf(own).includes('[Send]');
    };
    await eventually(isPressed, 3000).catch(() => undefined);
    confirmations.push({ phone, preview, killedAfterMs });
  }
  return { world, confirmations };
}

/** How the message of a draft reads by now, or the direct message that stands for it. */
function outcomeShown(world: World, { phone, preview }: Confirmation): string | undefined {
  const own = world.slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
  const digits = phone.slice(-4);
  const shown = [
    own ? textOf(own) : '',
    ...directOf(world, { id: preview.to }).filter((text) => text.includes(digits)),
  ];
  return shown
    .map((text) => /^\S+ \*(Sent|Unknown[^*]*|Not sent|Rejected)\*/.exec(text)?.[1])
    .find((word) => word);
}

describe('kill -9 at every moment of a send, then a new start', () => {
  it('nobody is texted twice, the person learns the outcome, nothing is left in the air', async ({
    annotate,
  }) => {
    const both = await Promise.all([
      killAtEach(MOMENTS, () => 0, '4420794604'),
      killAtEach(MOMENTS, (index) => [30, 90, 300][index % 3] as number, '4420794605'),
    ]);
    const tally: Record<string, number> = {};
    for (const { world, confirmations } of both) {
      for (const one of confirmations) {
        const word = await eventually(() => outcomeShown(world, one), 20_000);
        const arrivals = arrivalsAt(world, one.phone).length;
        const where = `+${one.phone}, killed after ${one.killedAfterMs} ms: ${word}`;
        expect(arrivals, where).toBeLessThanOrEqual(1);
        if (word === 'Sent') expect(arrivals, where).toBe(1);
        if (word === 'Not sent' || word === 'Rejected') expect(arrivals, where).toBe(0);
        const name = word.startsWith('Unknown') ? `Unknown, ${arrivals} arrived` : word;
        tally[name] = (tally[name] ?? 0) + 1;
      }
      const open =
        "SELECT * FROM chunks JOIN sends ON sends.id = send WHERE sends.state IN ('running', 'paused')";
      await eventually(() => rows(world, open).length === 0, 15_000);
      expect(rows(world, "SELECT * FROM chunks WHERE state = 'sending'")).toEqual([]);
      expect(rows(world, 'SELECT count(*) AS n FROM sends')).toEqual([{ n: confirmations.length }]);
      await eventually(
        () => rows(world, "SELECT * FROM outbox WHERE state <> 'posted'").length === 0,
        15_000,
      );
      let lines = 0;
      for (const one of confirmations) {
        const word = outcomeShown(world, one) as string;
        const told = historyOf(world).filter((line) => line.includes(`···${one.phone.slice(-4)}`));
        lines += told.length;
        // A line is posted twice only where the process died between the post and its note.
        expect(told.length, one.phone).toBeLessThanOrEqual(2);
        if (word === 'Sent') expect(told.join(), one.phone).toContain('sent a text to');
        if (word.startsWith('Unknown')) expect(told.join(), one.phone).toContain('Unknown');
        if (word === 'Not sent') expect(told.join(), one.phone).not.toContain('sent a text to');
      }
      tally.lines = (tally.lines ?? 0) + lines;
      expect(world.slack.failures).toEqual([]);
    }
    await annotate(`${MOMENTS.length * both.length} kills: ${JSON.stringify(tally)}`);
  }, 90_000);

  it('killed while a channel is being linked: it is linked or it is not, and works after a second try', async () => {
    const world = await createWorld();
    worlds.push(world);
    const { slack } = world;
    const { admin } = slack.people;
    for (const ms of [5, 25]) {
      await world.start();
      const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
      const form = await command.view();
      const values = textOf(form).includes('API key:')
        ? { 'Instance name': 'Acme', 'API key': 'sandbox-key-acme-0001' }
        : {};
      const submitted = slack.submitView({ user: admin, view: form, values });
      await sleep(ms);
      await world.kill();
      await submitted;
    }
    await world.start();
    const status = await world.runAdmin(['status']);
    expect(status.code).toBe(0);
    expect(status.stdout.match(/…0001/g)?.length ?? 0).toBeLessThanOrEqual(1);
    if (!status.stdout.includes('1 linked channel')) {
      const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
      const form = await command.view();
      const isNew = textOf(form).includes('API key:');
      await slack.submitView({
        user: admin,
        view: form,
        values: isNew ? { 'Instance name': 'Acme', 'API key': 'sandbox-key-acme-0001' } : {},
      });
    }
    const preview = await draft(world, '+442079460599 After all');
    await press(world, preview, 'Send');
    await eventually(() => arrivalsAt(world, '442079460599').length === 1);
  });
});
