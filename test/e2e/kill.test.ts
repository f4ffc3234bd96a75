import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultInput } from 'credit-sandbox';
import { type Ephemeral, textOf } from 'slack-playground';
import { describe, expect, it } from 'vitest';
import { createDice } from '../helpers/dice.ts';
import { SHORT_WAITS, type World } from '../helpers/world.ts';
import { cardOf, cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  directOf,
  draft,
  eventually,
  formOf,
  historyOf,
  link,
  phoneAt,
  press,
  rows,
  timesTexted,
} from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

/** ms from the click to kill -9: most while the bot acks, decides, writes the intent, requests, settles and posts. */
const MOMENTS = [0, 3, 6, 9, 11, 13, 16, 20, 25, 30, 40, 60, 120];

/** A message that a dead bot was posting waits for its lease of half a minute. */
const POSTED_WITHIN_MS = 90_000;

/** The job is so long that all kills fall into it. */
const RECIPIENTS = 2000;
const CHUNK = 5;
const CREDITS = 10_000;
const SLOWLY: FaultInput = { kind: 'delay', endpoint: 'bulk', ms: 500, when: 'before', times: 'always' };

const JOB_FAULTS: FaultInput[] = [
  { kind: 'reset', endpoint: 'bulk', when: 'before' },
  { kind: 'reset', endpoint: 'bulk', when: 'after' },
  { kind: 'hang', endpoint: 'bulk', when: 'after' },
  { kind: 'truncate', endpoint: 'bulk' },
  { kind: 'garbage', endpoint: 'bulk' },
  { kind: 'server_error', endpoint: 'bulk', when: 'before' },
  { kind: 'rate_limited', endpoint: 'bulk' },
  { kind: 'delay', endpoint: 'bulk', ms: 120, when: 'after' },
];

/** A confirmed text, with all that the test knows about it. */
interface Confirmation {
  phone: string;
  preview: Ephemeral;
  killedAfterMs: number;
}

/** A world after its kills. */
interface Killed {
  world: World;
  confirmations: Confirmation[];
  faults: number;
  resumes: number;
  /** How many recipients of the job were in flight at a kill. */
  inFlight: number;
}

const newWorld = worldsOfFile();

/**
 * While a job runs, confirms a text for each moment, and kills the bot that long after the click. The service takes
 * `serviceMs` for each text. Random faults strike the job; the same `seed` repeats them.
 */
async function killAtEach(
  serviceMs: (index: number) => number,
  prefix: string,
  seed: number,
): Promise<Killed> {
  const dice = createDice(seed);
  const world = await newWorld({
    sandbox: { switches: { rateLimit: 10_000, rateWindowMs: 1000 } },
    env: {
      ...SHORT_WAITS,
      SMS_RATE_LIMIT: '10000',
      SMS_RATE_WINDOW_MS: '1000',
      BULK_CHUNK_SIZE: String(CHUNK),
    },
  });
  const { service, slack } = world;
  service.setCredits(1, CREDITS);
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  await beginJob(world);
  const killed: Killed = { world, confirmations: [], faults: 0, resumes: 0, inFlight: 0 };
  for (const [index, killedAfterMs] of MOMENTS.entries()) {
    const phone = `${prefix}${String(index).padStart(2, '0')}`;
    const preview = await draft(world, `+${phone} Text ${index}`);
    service.clearFaults();
    if (dice() < 0.6) {
      service.addFault(JOB_FAULTS[Math.floor(dice() * JOB_FAULTS.length)] as FaultInput);
      killed.faults += 1;
    }
    service.addFault(SLOWLY);
    const ms = serviceMs(index);
    if (ms > 0)
      service.addFault({ kind: 'delay', ms, when: index % 2 ? 'before' : 'after', endpoint: 'send' });
    await sleep(dice() * 120);
    const click = slack.click({ user: preview.to, message: preview, text: 'Send' });
    await sleep(killedAfterMs);
    await world.kill();
    await click;
    const ofJob = "FROM chunks JOIN sends ON sends.id = send WHERE kind = 'job' AND chunks.state";
    const [lost] = rows(world, `SELECT sum(size) AS recipients ${ofJob} = 'sending'`);
    killed.inFlight += Number(lost?.recipients ?? 0);
    expect(rows(world, `SELECT idx ${ofJob} = 'pending'`), `kill ${index}`).not.toEqual([]);
    await world.start();
    // The click may be lost with the process, so people press again. If the first click won, the answer says so.
    await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    // The bot asks Slack before it decides. The next kill must not cut this press off.
    const isPressed = () => {
      const own = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      return !own || !textOf(own).includes('[Send]');
    };
    await eventually(isPressed, 3000).catch(() => undefined);
    killed.resumes += await resumeIfPaused(world);
    killed.confirmations.push({ phone, preview, killedAfterMs });
  }
  service.clearFaults();
  for (;;) {
    const card = await cardSaying(world, /\*(Paused|Finished)\*/, 60_000);
    if (/\*Finished\*/.test(textOf(card))) return killed;
    killed.resumes += await resumeIfPaused(world);
  }
}

async function beginJob(world: World): Promise<void> {
  const lines = Array.from({ length: RECIPIENTS }, (_, place) => `+${phoneAt(place)},Name ${place}`);
  const preview = await draftBulk(world, {
    file: { name: 'list.csv', bytes: ['phone,name', ...lines].join('\n') },
    message: 'Hello {name}',
  });
  world.service.addFault(SLOWLY);
  await confirmBulk(world, preview);
}

async function resumeIfPaused(world: World): Promise<number> {
  const card = cardOf(world);
  if (!card || !/\*Paused\*/.test(textOf(card))) return 0;
  await world.slack.click({ user: world.slack.people.member, message: card, text: 'Resume' });
  await sleep(50);
  return 1;
}

/** The words of the draft's message now, or of the direct message in its place. */
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

/** Each text has one outcome, and its person and the channel have read it. Resolves with the outcomes' counts. */
async function checkTexts({ world, confirmations }: Killed): Promise<Record<string, number>> {
  const tally: Record<string, number> = {};
  for (const one of confirmations) {
    const word = await eventually(() => outcomeShown(world, one), POSTED_WITHIN_MS);
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
  await eventually(() => rows(world, open).length === 0, POSTED_WITHIN_MS);
  expect(rows(world, "SELECT * FROM chunks WHERE state = 'sending'")).toEqual([]);
  expect(rows(world, "SELECT count(*) AS n FROM sends WHERE kind <> 'job'")).toEqual([
    { n: confirmations.length },
  ]);
  // The card of a list with unknown texts comes once more, when they can be resent.
  const waiting = () =>
    rows(world, `SELECT * FROM outbox WHERE state <> 'posted' AND since <= ${Date.now()}`);
  await eventually(() => waiting().length === 0, POSTED_WITHIN_MS);
  let lines = 0;
  for (const one of confirmations) {
    const word = outcomeShown(world, one) as string;
    const told = historyOf(world).filter((line) => line.includes(`···${one.phone.slice(-4)}`));
    lines += told.length;
    // The bot posts a line twice only if it died between the post and its note.
    expect(told.length, one.phone).toBeLessThanOrEqual(2);
    if (word === 'Sent') expect(told.join(), one.phone).toContain('sent a text to');
    if (word.startsWith('Unknown')) expect(told.join(), one.phone).toContain('Unknown');
    if (word === 'Not sent') expect(told.join(), one.phone).not.toContain('sent a text to');
  }
  return { ...tally, lines };
}

/** Each recipient has one outcome, the results file has each of them, and the books agree. */
async function checkJob({ world, faults, inFlight }: Killed): Promise<Record<string, number>> {
  const { service, slack } = world;
  const arrived = timesTexted(world);
  expect(Math.max(...arrived.values())).toBe(1);
  const [header, ...outcomes] = await eventually(() => fileFor(world, slack.people.member, /results/));
  expect(header?.slice(0, 6)).toEqual([
    'phone',
    'name',
    'outcome',
    'message id',
    'credits',
    'time (Europe/London)',
  ]);
  expect(outcomes.map(([, name]) => name)).toEqual(
    Array.from({ length: RECIPIENTS }, (_, at) => `Name ${at}`),
  );
  const tally: Record<string, number> = {};
  for (const [phone = '', name, outcome = ''] of outcomes) {
    tally[outcome] = (tally[outcome] ?? 0) + 1;
    const digits = phone.replace(/\D/g, '');
    if (outcome === 'sent') expect(arrived.get(digits), name).toBe(1);
    if (outcome === 'rejected' || outcome === 'not sent') expect(arrived.has(digits), name).toBe(false);
  }
  expect(Object.keys(tally).sort()).toEqual(tally.unknown ? ['sent', 'unknown'] : ['sent']);
  expect(tally.unknown ?? 0).toBeLessThanOrEqual(inFlight + faults * CHUNK);
  const [books] = rows(
    world,
    "SELECT sum(credits_used) AS credits FROM chunks JOIN sends ON sends.id = send WHERE kind = 'job'",
  );
  expect(Number(books?.credits)).toBe(tally.sent);
  expect(CREDITS - service.credits(1)).toBe(service.messages.length);
  return tally;
}

describe('kill -9 at every moment of a send, amid a job with random faults; then a new start', () => {
  it('nobody is texted twice, the person learns each outcome, nothing is left in the air, the books agree', async ({
    annotate,
  }) => {
    const both = await Promise.all([
      killAtEach(() => 0, '4420794604', 20_261_121),
      killAtEach((index) => [30, 90, 300][index % 3] as number, '4420794605', 20_261_122),
    ]);
    for (const killed of both) {
      const texts = await checkTexts(killed);
      const job = await checkJob(killed);
      expect(killed.inFlight).toBeGreaterThan(0);
      expect(killed.world.slack.failures).toEqual([]);
      const { faults, resumes, inFlight } = killed;
      await annotate(
        `${MOMENTS.length} kills, ${faults} faults, ${resumes} resumes, ${inFlight} of the job in flight at kills: ${JSON.stringify({ texts, job })}`,
      );
    }
  }, 300_000);

  it('killed while a channel is being linked: it is linked or not, and works after a second try', async () => {
    const world = await newWorld();
    const { slack } = world;
    const { admin } = slack.people;
    for (const ms of [5, 25]) {
      await world.start();
      const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'link' });
      const form = await formOf(slack, command);
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
      const form = await formOf(slack, command);
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
