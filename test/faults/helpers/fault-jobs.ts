import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from 'slack-playground';
import { expect } from 'vitest';
import type { World } from '../../helpers/world.ts';
import { cardOf, confirmBulk, draftBulk, fileFor } from '../../helpers/world-bulk.ts';
import { eventually } from '../../helpers/world-steps.ts';

/** A job that runs while something fails. No other job has its text, though numbers may be in several jobs. */
export interface FaultJob {
  text: string;
  phones: string[];
  /** How many results files the sender had before the job. */
  filesBefore: number;
}

/** Confirms a job to `count` fictitious numbers, 1,000 at most. */
export async function beginJob(world: World, text: string, count: number): Promise<FaultJob> {
  const phones = Array.from({ length: count }, (_, place) => `447700900${String(place).padStart(3, '0')}`);
  const filesBefore = resultsFiles(world);
  const lines = phones.map((phone, place) => `+${phone},Name ${place}`);
  const file = { name: 'list.csv', bytes: ['phone,name', ...lines].join('\n') };
  await confirmBulk(world, await draftBulk(world, { file, message: text }));
  return { text, phones, filesBefore };
}

function resultsFiles({ slack }: World): number {
  const messages = slack.history(slack.directMessage(slack.people.member.id).id);
  return messages.flatMap(({ files = [] }) => files).filter(({ name }) => /results/.test(name)).length;
}

/** The requests with texts that reached the service. */
export function textRequests({ service }: World) {
  return service.requests.filter(({ endpoint }) => endpoint === 'send' || endpoint === 'bulk');
}

/** How often each number got the text, by its digits. */
export function arrivalsOf({ service }: World, text: string): Map<string, number> {
  const arrived = new Map<string, number>();
  for (const message of service.messages) {
    if (message.text !== text) continue;
    const digits = message.phone.replace('+', '');
    arrived.set(digits, (arrived.get(digits) ?? 0) + 1);
  }
  return arrived;
}

/** Waits for the job's end. If two unknown answers pause it, somebody presses Resume. Resolves with how often. */
export async function finishJob(world: World, ms = 60_000): Promise<number> {
  const { slack } = world;
  let resumes = 0;
  for (const until = performance.now() + ms; performance.now() < until; await sleep(50)) {
    const card = cardOf(world);
    const words = card ? textOf(card) : '';
    if (/\*Finished\*/.test(words)) return resumes;
    if (!card || !/\*Paused\*.*\n.*got no clear answer/.test(words)) continue;
    resumes += 1;
    const click = await slack.click({ user: slack.people.member, message: card, text: 'Resume' });
    await click.reply(500).catch(() => undefined);
  }
  throw new Error(`the job is not finished: ${textOf(cardOf(world) as never)}`);
}

/**
 * Compares the results file with the service: every recipient is sent or unknown, each sent text arrived once, and nobody
 * got two texts. Resolves with how many are unknown.
 */
export async function checkResults(world: World, { text, phones, filesBefore }: FaultJob): Promise<number> {
  await eventually(() => resultsFiles(world) > filesBefore, 20_000);
  const [, ...outcomes] = fileFor(world, world.slack.people.member, /results/) ?? [];
  expect(outcomes.map(([, name]) => name)).toEqual(phones.map((_, place) => `Name ${place}`));
  const arrived = arrivalsOf(world, text);
  let unknown = 0;
  for (const [phone = '', name, outcome] of outcomes) {
    const times = arrived.get(phone.replace(/\D/g, '')) ?? 0;
    expect(times, `${name} is ${outcome}`).toBeLessThanOrEqual(1);
    if (outcome === 'unknown') unknown += 1;
    else expect({ outcome, times }, name).toEqual({ outcome: 'sent', times: 1 });
  }
  return unknown;
}
