import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import { aList, draftedJob, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ANA } from '../../helpers/core-people.ts';
import { drafted, eventually } from '../../helpers/core-sends.ts';
import { type CoreWorld, createCoreWorld, runLinked } from '../../helpers/core-world.ts';

const URL = 'https://hooks.slack.example/respond';
const reply = { user: ANA.id, responseUrl: URL };
/** Words, numbers and the answers' address of a text and a list. */
const PRIVATE = ['79460958', 'Wombat', phoneAt(0), 'Name 0', 'Hello {2}', 'Hello Name', 'not a number', URL];

/** All that is in the tables that tell of sends. */
function tablesOf({ folder }: CoreWorld): string {
  const db = new DatabaseSync(join(folder, 'switchboard.db'), { readOnly: true });
  try {
    const tables = ['d_sends', 'd_texts', 'd_outbox', 'entries'];
    return JSON.stringify(tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all()));
  } finally {
    db.close();
  }
}

/** Drafts of a text and of a list, with a row that can't be sent. */
async function twoDrafts(core: Core) {
  const source = { kind: 'pasted', text: `${aList(3)}\nnot a number, Nobody` } as const;
  return {
    single: await drafted(core, { text: 'Wombat', reply }),
    job: await draftedJob(core, { source, reply }),
  };
}

describe('drafts that nobody sends', () => {
  test.each([
    { step: 'withdraw', to: 'cancelled' },
    { step: 'supersede', to: 'superseded' },
  ] as const)('are told of once more when they are $to, and then gone', async ({ step, to }) => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world);
    const { single, job } = await twoDrafts(core);
    for (const word of PRIVATE) expect(tablesOf(world), word).toContain(word);
    expect(await core.sends[step](single.id, ANA)).toMatchObject({
      kind: 'withdrawn',
      view: { state: to, e164: single.e164, text: 'Wombat' },
    });
    expect(await core.jobs[step](job.id, ANA)).toMatchObject({
      kind: 'withdrawn',
      view: { state: to, counts: { total: 3 } },
    });
    for (const word of PRIVATE) expect(tablesOf(world), word).not.toContain(word);
    expect(await core.sends.view(single.id)).toMatchObject({
      state: to,
      outcome: 'cancelled',
      text: '',
      e164: '',
    });
    expect(await core.jobs.view(job.id)).toMatchObject({
      state: to,
      counts: { total: 3 },
      details: {
        by: ANA.id,
        list: { rows: 4, toSend: 3, wrong: { wrong_number: 1 } },
        given: { template: '' },
      },
    });
    expect(await core.sends.confirm(single.id, ANA, reply)).toMatchObject({
      kind: 'too_late',
      view: { state: to },
    });
  });

  test('keep no number, word, pasted text or response_url in any table', async () => {
    const world = await createCoreWorld();
    const { core, time } = await runLinked(world);
    const { single, job } = await twoDrafts(core);
    time.advance(900_000);
    await eventually(async () => expect((await core.jobs.view(job.id))?.state).toBe('expired'));
    // People can still open its form from the screen.
    expect(await core.sends.view(single.id)).toMatchObject({
      state: 'expired',
      e164: single.e164,
      text: 'Wombat',
      details: { reply },
    });
    expect(await core.jobs.view(job.id)).toMatchObject({
      details: { reply, given: { template: 'Hello {2}', recipients: expect.stringContaining(phoneAt(0)) } },
    });
    time.advance(1_800_000);
    await eventually(() => {
      for (const word of PRIVATE) expect(tablesOf(world), word).not.toContain(word);
    });
    expect(await core.sends.view(single.id)).toMatchObject({ state: 'expired', text: '', e164: '' });
    expect(await core.jobs.view(job.id)).toMatchObject({ state: 'expired', counts: { total: 3 } });
  });
});

describe('a list', () => {
  test('once sent keeps no pasted text: its chunks have the recipients', async () => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world);
    const source = { kind: 'pasted', text: `${aList(3)}\nnot a number, Nobody` } as const;
    const { id } = await startedJob(core, { source, reply });
    const { details } = (await core.jobs.view(id)) ?? {};
    expect(details).toMatchObject({
      given: { template: 'Hello {2}' },
      list: { samples: { first: { row: 1 } } },
    });
    expect(details?.given).not.toHaveProperty('recipients');
    for (const word of [`+${phoneAt(0)}, Name 0`, 'not a number'])
      expect(tablesOf(world), word).not.toContain(word);
  });
});
