import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from 'slack-playground';
import { expect } from 'vitest';
import type { World } from '../../helpers/world.ts';
import { cardOf, confirmBulk, draftBulk } from '../../helpers/world-bulk.ts';
import { eventually } from '../../helpers/world-steps.ts';

/** Jobs one after another while something fails, each to numbers of its own. */
export interface JobAfterJob {
  /** Sends a list. `ended` resolves once the job's results are there and right. */
  begin(recipients: number): Promise<{ ended: Promise<void> }>;
  /** The totals of all ended jobs. */
  seen: { jobs: number; recipients: number; unknown: number };
}

/** The time allowed for each recipient, in ms: some hundred times the usual. */
const PATIENCE_MS = 200;
/** Without a card for this long, in ms, somebody presses Send again. */
const AGAIN_MS = 10_000;

/** Begin only while no job is running. */
export function createJobAfterJob(world: World): JobAfterJob {
  const { slack, service } = world;
  const seen = { jobs: 0, recipients: 0, unknown: 0 };
  const arrivals = new Map<string, number>();
  let next = 447_700_900_000;
  service.on('message', ({ phone }) => {
    const digits = phone.replace('+', '');
    arrivals.set(digits, (arrivals.get(digits) ?? 0) + 1);
  });

  /** The newest results file with this number in its first row. */
  function resultsOf(first: string): string[][] | undefined {
    const direct = slack.history(slack.directMessage(slack.people.member.id).id);
    const files = direct.flatMap((message) => message.files ?? []);
    const tables = files
      .map(({ id }) => slack.fileBytes(id))
      .filter((bytes) => bytes !== undefined)
      .map((bytes) => Buffer.from(bytes).toString('utf8'));
    const found = tables.findLast((table) => table.split('\n')[1]?.replaceAll(/[() ]/g, '').includes(first));
    return found
      ?.trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, '')));
  }

  /**
   * Waits for the job's end. Somebody presses Send again while there is no card: a busy machine may have answered that
   * nothing was sent yet. And they press Resume whenever two unclear answers pause it.
   */
  async function untilFinished(
    previous: string | undefined,
    recipients: number,
    pressAgain: () => Promise<unknown>,
  ): Promise<void> {
    const until = performance.now() + recipients * PATIENCE_MS;
    let pressedAt = performance.now();
    for (; performance.now() < until; await sleep(100)) {
      const card = cardOf(world);
      if (!card || card.ts === previous) {
        if (performance.now() - pressedAt < AGAIN_MS) continue;
        pressedAt = performance.now();
        await pressAgain();
        continue;
      }
      if (/\*Finished\*/.test(textOf(card))) return;
      if (!/\*Paused\*/.test(textOf(card))) continue;
      await slack.click({ user: slack.people.member, message: card, text: 'Resume', forged: true });
      await sleep(400);
    }
    throw new Error(`the job does not end: ${textOf(cardOf(world) as never)}`);
  }

  function check(phones: string[], rows: string[][]): void {
    expect(rows.map(([phone = '']) => phone.replace(/\D/g, ''))).toEqual(phones);
    for (const [phone = '', name, outcome] of rows) {
      const times = arrivals.get(phone.replace(/\D/g, '')) ?? 0;
      // A stopped bot may hold a request that never began, and find out too late for the job.
      const may = { sent: [1], unknown: [0, 1], 'not sent': [0] }[outcome as string];
      expect(may, `${name} is ${outcome}`).toContain(times);
    }
    seen.jobs += 1;
    seen.recipients += rows.length;
    seen.unknown += rows.filter(([, , outcome]) => outcome === 'unknown').length;
  }

  return {
    seen,
    async begin(recipients) {
      const phones = Array.from({ length: recipients }, (_, place) => String(next + place));
      next += recipients;
      const previous = cardOf(world)?.ts;
      const bytes = ['phone,name', ...phones.map((phone, place) => `+${phone},Name ${place}`)].join('\n');
      const file = { name: 'list.csv', bytes };
      const preview = await draftBulk(world, { file, message: 'Hello {name}' });
      const press = () => confirmBulk(world, preview, { forged: true });
      await press();
      const ended = untilFinished(previous, recipients, press).then(async () => {
        check(phones, await eventually(() => resultsOf(String(phones[0])), 20_000));
      });
      return { ended };
    },
  };
}
