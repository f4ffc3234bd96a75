import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, textOf } from 'slack-playground';
import { phoneAt } from '../../helpers/core-jobs.ts';
import type { World } from '../../helpers/world.ts';
import { confirmBulk, draftBulk } from '../../helpers/world-bulk.ts';
import { directOf, draft, historyOf, press, rows } from '../../helpers/world-steps.ts';

/** Texts and a job, ready for a click on Send. */
export interface Work {
  texts: { phone: string; preview: Ephemeral }[];
  job: Ephemeral;
  recipients: number;
}

/** How many copies people got of each message. */
export interface Told {
  /** For each number: lines in the channel, direct messages, and the draft's words now. */
  texts: { phone: string; lines: number; directs: number; shown: string }[];
  /** The words of the job's cards, oldest first. */
  cards: string[];
  /** How many rows each results file has. */
  results: number[];
}

/** How often, and how many ms apart, we look for a decision before we press again: most presses fail at once. */
const LOOKS = 10;
const LOOK_EVERY_MS = 25;

/** Drafts everything while nothing fails. */
export async function draftWork(world: World, size: { texts: number; recipients: number }): Promise<Work> {
  const texts: Work['texts'] = [];
  for (let index = 0; index < size.texts; index += 1) {
    const phone = `4420794608${String(index).padStart(2, '0')}`;
    texts.push({ phone, preview: await draft(world, `+${phone} Text ${index}`) });
  }
  const list = Array.from({ length: size.recipients }, (_, place) => `+${phoneAt(place)}`).join('\n');
  const job = await draftBulk(world, { recipients: list, message: 'Hello' });
  return { texts, job, recipients: size.recipients };
}

/** Presses Send until it is decided: while Slack does not say who somebody is, a click does nothing. */
export async function sendText(world: World, { phone, preview }: Work['texts'][number]): Promise<void> {
  await pressUntil(
    () => press(world, preview, 'Send'),
    () => stateOf(world, `details LIKE '%${phone}%'`) !== 'draft',
  );
}

export async function sendJob(world: World, { job }: Work): Promise<void> {
  await pressUntil(
    () => confirmBulk(world, job),
    () => stateOf(world, "kind = 'job'") !== 'draft',
  );
}

async function pressUntil(pressIt: () => Promise<unknown>, isDecided: () => boolean): Promise<void> {
  while (!isDecided()) {
    await pressIt();
    for (let look = 0; look < LOOKS && !isDecided(); look += 1) await sleep(LOOK_EVERY_MS);
  }
}

function stateOf(world: World, where: string): unknown {
  return rows(world, `SELECT state FROM sends WHERE ${where}`)[0]?.state;
}

/** Resolves once all is sent and every due row is posted, with how many ms this took. */
export async function allPosted(world: World, withinMs: number): Promise<number> {
  const from = performance.now();
  const open = () =>
    rows(world, "SELECT id FROM sends WHERE state <> 'finished'").length +
    rows(world, "SELECT id FROM outbox WHERE state <> 'posted'").length;
  while (open() > 0) {
    if (performance.now() - from > withinMs) {
      const due = rows(world, "SELECT id, topic, state, attempts FROM outbox WHERE state <> 'posted'");
      throw new Error(`still due after ${withinMs} ms: ${JSON.stringify(due)}`);
    }
    await sleep(250);
  }
  return performance.now() - from;
}

/** What people see of the work now. */
export function toldOf(world: World, work: Work): Told {
  const { slack } = world;
  const history = historyOf(world);
  const { member } = slack.people;
  const direct = directOf(world, member);
  const files = slack.history(slack.directMessage(member.id).id).flatMap((message) => message.files ?? []);
  return {
    texts: work.texts.map(({ phone, preview }) => {
      const digits = phone.slice(-4);
      const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      return {
        phone,
        lines: history.filter((line) => line.includes(`···${digits}`)).length,
        directs: direct.filter((line) => line.replaceAll(' ', '').includes(phone)).length,
        shown: now ? textOf(now) : '',
      };
    }),
    cards: history.filter((line) => /\*(Sending|Paused|Finished|Stopped)\*/.test(line)),
    results: files
      .filter(({ name }) => /results/.test(name))
      .map(
        ({ id }) =>
          Buffer.from(slack.fileBytes(id) ?? [])
            .toString()
            .trim()
            .split('\r\n').length - 1,
      ),
  };
}
