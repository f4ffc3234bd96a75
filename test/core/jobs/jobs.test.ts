import { aroundEach, describe, expect, test } from 'vitest';
import { remains } from '../../../src/core/history/remains.ts';
import { ROW_WORDS } from '../../../src/slack/ui/lists/words-in-files.ts';
import { createSmsClient } from '../../../src/sms/client.ts';
import { aJob, aList, draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import { ADMIN, ANA, aPerson, BEN } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME_KEY_TOO,
  addInstance,
  type CoreWorld,
  createCoreWorld,
  linkTo,
  runLinked,
} from '../../helpers/core-world.ts';
import { asOneOfMany, whenOver } from '../../helpers/side-by-side.ts';
import { listAll } from '../../ledger/ledger.contract.numbers.ts';

aroundEach(asOneOfMany);

/** Sleeps are shorter here than in the ledger's time, so a lease must leave room for a balance read. */
const LIMITS = { leaseMs: 60_000, timeoutMs: 2000 };
/** How long after its deadline a request may still leave the machine. */
const STILL_LEAVES_MS = 105_000;
const SMALL = { bulk: { chunkSize: 4, minRecipients: 2 } };
/** The provider promises to send nothing of a list that it refuses. */
const ATOMIC = { bulk: { minRecipients: 2 }, bulkRefusals: 'atomic' } as const;

function bulkRequests({ service }: CoreWorld) {
  return service.requests.filter(({ endpoint }) => endpoint === 'bulk');
}

/** Also the requests of chunks with one text. */
function jobRequests({ service }: CoreWorld) {
  return service.requests.filter(({ endpoint }) => endpoint !== 'balance');
}

/** How often each number was texted. */
function arrivals({ service }: CoreWorld): Map<string, number> {
  const found = new Map<string, number>();
  for (const { phone } of service.messages) found.set(phone, (found.get(phone) ?? 0) + 1);
  return found;
}

describe.concurrent('a job', () => {
  test('is sent in chunks, texts everybody once, and its books are the service’s', async () => {
    const world = await createCoreWorld();
    const { core, posted } = await runLinked(world, SMALL);
    const { id } = await startedJob(core, { count: 10 });
    const job = await jobIn(core, id, 'finished');
    expect(job).toMatchObject({ counts: { total: 10, sent: 10, left: 0 }, creditsUsed: 10 });
    expect(arrivals(world)).toEqual(new Map(Array.from({ length: 10 }, (_, place) => [phoneAt(place), 1])));
    expect(world.service.messages[3]?.text).toBe('Hello Name 3');
    expect(bulkRequests(world).map(({ messagesSent }) => messagesSent)).toEqual([4, 4, 2]);
    await eventually(() => expect(posted.some(({ topic }) => topic === 'job')).toBe(true));
  });

  test('sends a text that is too long to go alone in a bulk request of its own', async () => {
    const world = await createCoreWorld({ sandbox: { switches: { bulkMessageCharacters: 1600 } } });
    const long = createSmsClient({ baseUrl: world.service.url, timeoutMs: 7000, maxBulkCharacters: 1600 });
    whenOver(() => long.close());
    const { core } = await runLinked(world, {
      bulk: { mostCharacters: 1600 },
      prepare({ sms }) {
        sms.sendBulk = long.sendBulk;
      },
    });
    const { id } = await startedJob(core, { count: 2, template: 'x'.repeat(1001) });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 2 } });
    expect(bulkRequests(world).map(({ messagesSent }) => messagesSent)).toEqual([1, 1]);
  });

  test('remembers its template as it was typed, for Edit, and its country, for the results', async () => {
    const { core } = await runLinked(await createCoreWorld(), { ...SMALL, link: { country: 'GB' } });
    const template = 'Hi {{you}}, {2|there} :tada:\n }}';
    const { details } = await draftedJob(core, { template, count: 1 });
    expect(details.given).toMatchObject({ template, country: 'GB' });
    expect(details.list.samples.first.text).toBe('Hi {you}, Name 0 🎉\n }');
  });

  test('is decided once, by however many clicks and people', async () => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world, SMALL);
    const { id } = await draftedJob(core);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => core.jobs.confirm(id, at % 2 ? ANA : BEN, {})),
    );
    expect(answers.filter(({ kind }) => kind === 'running')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'not_yours')).toHaveLength(10);
    await jobIn(core, id, 'finished');
    expect(world.service.messages).toHaveLength(10);
  });

  test('is refused if credits are short, and says by how much', async () => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world, SMALL);
    world.service.setCredits(1, 7);
    world.time.advance(31_000);
    const answer = await core.jobs.draft({
      channel: 'C-sales',
      person: ANA,
      source: { kind: 'pasted', text: aList(10) },
      template: 'Hello',
      words: ROW_WORDS,
      reply: {},
    });
    expect(answer).toMatchObject({ kind: 'draft', preview: { short: true, balance: 7 } });
    if (answer.kind !== 'draft') throw new Error('no draft');
    const { id } = answer.preview.view;
    expect(await core.jobs.confirm(id, ANA, {})).toEqual({ kind: 'credits_short', needed: 10, available: 7 });
    world.service.setCredits(1, 10);
    expect(await core.jobs.preview(id)).toMatchObject({ short: false, balance: 10 });
    expect(await core.jobs.confirm(id, ANA, {})).toMatchObject({ kind: 'running' });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 10 } });
  });
});

describe.concurrent('a channel that changes while the draft of a list is written', () => {
  async function drafting(meanwhile: (running: Awaited<ReturnType<typeof runLinked>>) => Promise<unknown>) {
    const running = await runLinked(await createCoreWorld(), SMALL);
    running.tap.intercept('appendChunks', (real) => async (...args) => {
      await meanwhile(running);
      return real(...args);
    });
    return running.core.jobs.draft(aJob());
  }

  test('its payer: nobody gets a preview of the old one', async () => {
    const answer = await drafting(async ({ core }) =>
      linkTo(core, await addInstance(core, ACME_KEY_TOO, 'Acme too')),
    );
    expect(answer).toMatchObject({ kind: 'draft_expired', view: { expiredFor: 'other_payer' } });
  });

  test('it is unlinked: there is no link to send by', async () => {
    const answer = await drafting(async ({ core }) => {
      const linked = await core.links.find('T1', 'C-sales');
      if (linked) await core.links.remove(linked.link, ADMIN.id);
    });
    expect(answer).toEqual({ kind: 'not_linked', channel: 'C-sales' });
  });

  test('another failure stays one', async () => {
    const drafted = drafting(async () => {
      throw new Error('the store is away');
    });
    await expect(drafted).rejects.toThrow('the store is away');
  });
});

test('a list of which the store has lost a part since its preview expires at Send, and nobody is texted', async () => {
  const world = await createCoreWorld();
  const { core, tap } = await runLinked(world, SMALL);
  let writes = 0;
  // As after a failover of Redis: the last write, with two of ten recipients, is gone.
  tap.intercept('appendChunks', (real) => async (...args) => {
    writes += 1;
    if (writes < 3) await real(...args);
  });
  const { id } = await draftedJob(core, { count: 10 });
  expect(writes).toBe(3);
  const pressed = await core.jobs.confirm(id, ANA, { url: 'second' });
  expect(pressed).toMatchObject({ kind: 'too_late', view: { state: 'expired' } });
  expect(jobRequests(world)).toEqual([]);
});

test('a job whose credits were short can be confirmed if the service cannot be asked now, and waits for them', async () => {
  const world = await createCoreWorld();
  const { core, instance } = await runLinked(world, SMALL);
  world.service.setCredits(1, 3);
  await core.credit.read(instance, 'interactive');
  world.service.topUp(1, 7);
  world.service.addFault({ kind: 'server_error', endpoint: 'balance', times: 'always' });
  const { id } = await draftedJob(core);
  const preview = await core.jobs.preview(id);
  expect(preview).toMatchObject({ short: false, lastBalance: { credits: 3, at: expect.any(Number) } });
  expect(preview).not.toHaveProperty('balance');
  expect(await core.jobs.confirm(id, ANA, {})).toMatchObject({ kind: 'running' });
  const asOf = (await core.credit.known(instance))?.at;
  const paused = await jobIn(core, id, 'paused');
  expect(paused.pause).toEqual({ why: 'credits', required: 4, available: 3, asOf });
  expect(await core.jobs.resume(id, ANA)).toEqual({ kind: 'no_balance' });
  world.service.clearFaults();
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 10 } });
});

test('a job of long texts that lacks credits says on Resume what the rest may cost, least and most', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core } = await runLinked(world, SMALL);
  world.service.addFault({ kind: 'no_credits', endpoint: 'bulk', times: 'always' });
  const { id } = await startedJob(core, { count: 20, template: 'x'.repeat(200) });
  await jobIn(core, id, 'paused');
  await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
  const { left } = (await core.jobs.view(id))?.counts ?? {};
  world.service.setCredits(1, 5);
  await core.jobs.resume(id, ANA);
  expect(await core.jobs.resume(id, ANA)).toEqual({
    kind: 'credits_short',
    needed: 2 * Number(left),
    least: left,
    available: 5,
  });
});

test('a preview that is shown again has the price of now', async () => {
  const { core, service } = await runLinked(await createCoreWorld(), SMALL);
  const { id } = await draftedJob(core);
  expect(await core.jobs.preview(id)).toMatchObject({ view: { details: { estimate: { credits: 10 } } } });
  service.setSwitches({ price: { per: 'message', credits: 3 } });
  await jobIn(core, (await startedJob(core, { count: 2, template: 'Another text' })).id, 'finished');
  await eventually(async () =>
    expect(await core.jobs.preview(id)).toMatchObject({ view: { details: { estimate: { credits: 30 } } } }),
  );
});

test('a job of long texts needs the most that they may cost', async () => {
  const world = await createCoreWorld();
  const { core } = await runLinked(world, SMALL);
  world.service.setCredits(1, 20);
  world.time.advance(31_000);
  const { id, details } = await draftedJob(core, { template: 'x'.repeat(200) });
  expect(details.estimate).toEqual({ least: 10, credits: 20, perMessage: 2, basis: 'documented' });
  expect(await core.jobs.preview(id)).toMatchObject({ short: false, balance: 20 });
  world.service.setCredits(1, 19);
  world.time.advance(31_000);
  expect(await core.jobs.preview(id)).toMatchObject({ short: true, balance: 19 });
  expect(await core.jobs.confirm(id, ANA, {})).toEqual({
    kind: 'credits_short',
    needed: 20,
    least: 10,
    available: 19,
  });
});

describe.concurrent('one bad number, if the provider refuses lists whole', () => {
  test('never holds up the good ones: found by the fields that the error names', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(3), phoneAt(17)] });
    const { core } = await runLinked(world, ATOMIC);
    const { id } = await startedJob(core, { count: 40 });
    const job = await jobIn(core, id, 'finished');
    expect(job).toMatchObject({ counts: { sent: 38, rejected: 2, unknown: 0 }, creditsUsed: 38 });
    expect(bulkRequests(world)).toHaveLength(2);
    expect(jobRequests(world)).toHaveLength(4);
    expect(Math.max(...arrivals(world).values())).toBe(1);
    const rejected = await core.jobs.rejected(id);
    expect(rejected?.map(({ e164 }) => e164).sort()).toEqual([`+${phoneAt(3)}`, `+${phoneAt(17)}`]);
  });

  test('nor if the error names nothing: found by halving', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(5)], errorDetails: 'none' });
    const { core } = await runLinked(world, ATOMIC);
    const { id } = await startedJob(core, { count: 64 });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 63, rejected: 1 } });
    expect(jobRequests(world)).toHaveLength(13);
    expect(Math.max(...arrivals(world).values())).toBe(1);
  });

  test('if all are bad, no chunk takes more than 40 requests', async () => {
    const world = await createCoreWorld({ limits: { ...LIMITS, permits: 200 } });
    const bad = Array.from({ length: 60 }, (_, place) => phoneAt(place));
    world.service.setSwitches({ refusedPhones: bad, errorDetails: 'none', rateLimit: 200 });
    const { core } = await runLinked(world, ATOMIC);
    const { id } = await startedJob(core, { count: 60 });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 0, rejected: 60 } });
    expect(jobRequests(world).length).toBeLessThanOrEqual(40);
  });

  test('three chunks at the beginning that are all bad pause the job', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const bad = Array.from({ length: 60 }, (_, place) => phoneAt(place));
    world.service.setSwitches({ refusedPhones: bad, errorDetails: 'none' });
    const { core } = await runLinked(world, { ...SMALL, bulkRefusals: 'atomic' });
    const { id } = await startedJob(core, { count: 60 });
    expect((await jobIn(core, id, 'paused')).pause?.why).toBe('all_invalid');
    expect(await core.jobs.stop(id, ANA)).toMatchObject({ kind: 'done', view: { state: 'stopped' } });
    expect(world.service.messages).toHaveLength(0);
  });
});

describe.concurrent('a job in trouble', () => {
  test('pauses when the credits run out, loses nothing, and goes on after a top-up', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, { ...SMALL, bulkRefusals: 'atomic' });
    const { id } = await draftedJob(core, { count: 20 });
    world.service.addFault({ kind: 'no_credits', endpoint: 'bulk', skip: 2, times: 'always' });
    await core.jobs.confirm(id, ANA, {});
    const paused = await jobIn(core, id, 'paused');
    expect(paused.pause?.why).toBe('credits');
    await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
    expect((await core.jobs.view(id))?.counts).toMatchObject({ sent: 8, left: 12, unknown: 0 });
    world.service.setCredits(1, 5);
    // The first Resume finds credits missing from the books. The second finds too few credits.
    expect(await core.jobs.resume(id, ANA)).toMatchObject({
      kind: 'books',
      view: { details: { missing: 987 } },
    });
    expect(await core.jobs.resume(id, ANA)).toEqual({ kind: 'credits_short', needed: 12, available: 5 });
    world.service.clearFaults();
    world.service.setCredits(1, 500);
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 20 } });
    expect(Math.max(...arrivals(world).values())).toBe(1);
  });

  test('pauses when the key is refused, and says so on Resume until it is mended', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, SMALL);
    const { id } = await draftedJob(core, { count: 20 });
    world.service.addFault({ kind: 'key_revoked', endpoint: 'any', times: 'always' });
    await core.jobs.confirm(id, ANA, {});
    expect((await jobIn(core, id, 'paused')).pause).toEqual({ why: 'key_refused' });
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'key_refused' });
    world.service.clearFaults();
    expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'done' });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 20, unknown: 0 } });
  });

  test('flags one unknown chunk and goes on; two unknown answers in a row pause it', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', skip: 1 });
    const { id } = await startedJob(core, { count: 32 });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 28, unknown: 4 } });

    world.service.addFault({ kind: 'reset', endpoint: 'bulk', times: 'always' });
    const second = await startedJob(core, { count: 100 });
    const paused = await jobIn(core, second.id, 'paused');
    expect(paused.pause).toEqual({ why: 'unknown_answers' });
    await eventually(async () => expect((await core.jobs.view(second.id))?.counts.inFlight).toBe(0));
    // At most eight requests were in flight at first.
    expect((await core.jobs.view(second.id))?.counts.unknown).toBeLessThanOrEqual(8 * 4);
  });

  test('waits while the service can’t be reached, remembers since when, and goes on by itself', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    // Nothing listens on this port: the service is away.
    const nowhere = createSmsClient({ baseUrl: 'http://127.0.0.1:9/api/v1', timeoutMs: 2000 });
    whenOver(() => nowhere.close());
    let isBack = false;
    let refusals = 0;
    const { core, ledger } = await runLinked(world, {
      ...SMALL,
      prepare({ sms }) {
        const { sendBulk } = sms;
        sms.sendBulk = (...args) => {
          if (isBack) return sendBulk(...args);
          refusals += 1;
          return nowhere.sendBulk(...args);
        };
      },
    });
    const begun = ledger.now();
    const { id } = await startedJob(core, { count: 40 });
    const since = await eventually(async () => {
      const { outOfReachSince } = (await core.jobs.view(id))?.details ?? {};
      return outOfReachSince ?? expect.fail('nothing is remembered');
    });
    expect(since).toBeGreaterThanOrEqual(begun);
    const tries = refusals;
    await eventually(() => expect(refusals).toBeGreaterThan(tries + 1));
    expect(await core.jobs.view(id)).toMatchObject({ state: 'running', details: { outOfReachSince: since } });
    isBack = true;
    const job = await jobIn(core, id, 'finished');
    expect(job).toMatchObject({ counts: { sent: 40, unknown: 0 } });
    expect(job.details.outOfReachSince).toBeUndefined();
    expect(Math.max(...arrivals(world).values())).toBe(1);
  });

  test('a 429 waits and nothing is lost', async () => {
    const world = await createCoreWorld({ limits: { ...LIMITS, windowMs: 400 } });
    const { core } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'rate_limited', endpoint: 'bulk', times: 2 });
    const { id } = await startedJob(core, { count: 16 });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 16 } });
    expect(Math.max(...arrivals(world).values())).toBe(1);
  });
});

describe.concurrent('an answer that does not match', () => {
  test.each(['request', 'reversed'] as const)(
    'in the order %s is matched, and what it leaves out is unknown',
    async (bulkOrder) => {
      const world = await createCoreWorld({ limits: LIMITS });
      world.service.setSwitches({
        refusedPhones: [phoneAt(2)],
        bulkInvalid: 'send_rest',
        bulkUnsent: 'omitted',
        bulkOrder,
      });
      const { core } = await runLinked(world, SMALL);
      const { id } = await startedJob(core, { count: 8 });
      expect(await jobIn(core, id, 'finished')).toMatchObject({
        counts: { sent: 7, unknown: 1, rejected: 0 },
        creditsUsed: 7,
        evidence: { verdict: 'none' },
      });
    },
  );

  test('a status of its own is counted by itself', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ refusedPhones: [phoneAt(2)], bulkInvalid: 'send_rest' });
    const { core } = await runLinked(world, SMALL);
    const { id } = await startedJob(core, { count: 8 });
    expect(await jobIn(core, id, 'finished')).toMatchObject({
      counts: { sent: 7, unknown: 0, otherStatuses: { failed: 1 } },
    });
  });
});

describe.concurrent('people', () => {
  test('people who may send from the channel may pause, resume and stop; others may not', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, { ...SMALL, link: { whoCanSend: 'chosen', people: [ANA.id] } });
    world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 50, times: 'always' });
    const { id } = await startedJob(core, { count: 400 });
    expect(await core.jobs.pause(id, BEN)).toMatchObject({ kind: 'refused', why: 'not_chosen' });
    expect(await core.jobs.pause(id, { ...ANA, team: 'T2' })).toEqual({ kind: 'missing' });
    expect(await core.jobs.pause(id, ADMIN)).toMatchObject({
      kind: 'done',
      view: { state: 'paused', pause: { why: 'person', by: ADMIN.id } },
    });
    await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
    const before = world.service.messages.length;
    expect(await core.jobs.pause(id, ANA)).toMatchObject({ kind: 'not_now' });
    expect(world.service.messages).toHaveLength(before);
    expect(await core.jobs.resume(id, BEN)).toMatchObject({ kind: 'refused' });
    expect(await core.jobs.stop(id, ANA)).toMatchObject({ kind: 'done', view: { state: 'stopped' } });
    const { counts } = await jobIn(core, id, 'stopped');
    expect(counts.sent + counts.cancelled).toBe(400);
  });

  test('guests neither draft nor confirm', async () => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world, SMALL);
    const guest = aPerson({ id: 'U-guest', isGuest: true });
    const asked = {
      channel: 'C-sales',
      source: { kind: 'pasted' as const, text: aList(2) },
      template: 'Hi',
      words: ROW_WORDS,
    };
    expect(await core.jobs.draft({ ...asked, person: guest, reply: {} })).toMatchObject({ kind: 'refused' });
  });

  test('a person’s text never waits for a job', async () => {
    const world = await createCoreWorld({ limits: { ...LIMITS, permits: 20, windowMs: 3000 } });
    const { core } = await runLinked(world, { bulk: { chunkSize: 1 } });
    world.service.setSwitches({ rateLimit: 20, rateWindowMs: 3000 });
    const job = await startedJob(core, { count: 30 });
    await eventually(() => expect(jobRequests(world).length).toBeGreaterThanOrEqual(17));
    const { id } = await confirmed(core);
    expect((await ended(core, id)).outcome).toBe('sent');
    expect((await core.jobs.view(job.id))?.state).toBe('running');
    await jobIn(core, job.id, 'finished');
    expect(world.service.requests.every(({ status }) => status !== 429)).toBe(true);
  });
});

describe.concurrent('the unknown of a job', () => {
  test('can be called arrived by anybody who may send from the channel, once, and are not sent again', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'after', skip: 1 });
    const { id } = await startedJob(core, { count: 8 });
    const { decidable } = await jobIn(core, id, 'finished');
    expect(decidable).toBe(4);
    const guest = aPerson({ id: 'U-guest', isGuest: true });
    expect(await core.jobs.saySent(id, guest)).toMatchObject({ kind: 'refused' });
    const said = await Promise.all([1, 2, 3].map(() => core.jobs.saySent(id, BEN)));
    expect(said.map(({ kind }) => kind).sort()).toEqual(['decided', 'too_late', 'too_late']);
    expect(await core.jobs.view(id)).toMatchObject({
      counts: { sent: 4, unknown: 4 },
      creditsUsed: 4,
      decidable: 0,
      saidSent: { by: BEN.id, messages: 4 },
    });
    expect(await core.jobs.saySent(id, ANA)).toEqual({ kind: 'too_late', why: 'none_unknown' });
    const unknown = (await core.jobs.results(id))?.filter(({ state }) => state === 'unknown');
    expect(unknown?.map(({ saidSentBy }) => saidSentBy)).toEqual([BEN, BEN, BEN, BEN].map(({ id }) => id));
    world.time.advance(31_000);
    expect(await core.jobs.draftResend(id, ANA, {})).toMatchObject({ kind: 'said_sent' });
  });

  test('are not decided by a person who has read of fewer: more may become unknown while they read', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, tap } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'after', times: 'always' });
    const [gate, last] = [createGate(), createGate()];
    let answers = 0;
    tap.intercept('settle', (real) => async (...args) => {
      answers += 1;
      if (answers === 3) gate.open();
      await (answers === 3 ? last : gate).pass();
      return real(...args);
    });
    const { id } = await startedJob(core, { count: 12 });
    const { decidable = 0 } = await jobIn(core, id, 'paused');
    expect(decidable).toBe(8);
    last.open();
    await eventually(async () => expect((await core.jobs.view(id))?.decidable).toBe(12));
    for (const decide of [core.jobs.saySent, core.jobs.leaveUnknown]) {
      expect(await decide(id, BEN, decidable)).toEqual({ kind: 'too_late', why: 'more_unknown' });
    }
    const view = await core.jobs.view(id);
    expect(view).toMatchObject({ decidable: 12 });
    expect(view?.leftBy ?? view?.saidSent).toBeUndefined();
    expect(await core.jobs.saySent(id, BEN, 12)).toEqual({ kind: 'decided' });
  });

  test('that somebody leaves wait for no decision, and can still be resent', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, ledger } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'after', skip: 1 });
    const { id } = await startedJob(core, { count: 8 });
    await jobIn(core, id, 'finished');
    const waiting = () => ledger.undecided({ team: ANA.team, kind: 'job', limit: 10 });
    expect(await waiting()).toHaveLength(1);
    expect(await core.jobs.leaveUnknown(id, aPerson({ id: 'U-guest', isGuest: true }))).toMatchObject({
      kind: 'refused',
    });
    expect(await core.jobs.leaveUnknown(id, BEN)).toEqual({ kind: 'decided' });
    expect(await waiting()).toEqual([]);
    expect(await core.jobs.view(id)).toMatchObject({ counts: { unknown: 4 }, decidable: 4, leftBy: BEN.id });
    world.time.advance(world.limits.leaseMs + STILL_LEAVES_MS);
    expect(await core.jobs.draftResend(id, ANA, {})).toMatchObject({ kind: 'draft' });
  });

  test('that somebody left are resent without a number that an operator has erased since', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, ledger } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'before' });
    const { id } = await startedJob(core, { count: 4 });
    await jobIn(core, id, 'finished');
    await core.jobs.leaveUnknown(id, BEN);
    await eventually(async () => {
      await listAll(ledger);
      expect(await ledger.erase(phoneAt(1), { remains, hashOf: () => 'none' })).toEqual({
        erased: 1,
        open: 0,
      });
    });
    world.time.advance(world.limits.leaseMs + STILL_LEAVES_MS);
    const draft = await core.jobs.draftResend(id, ANA, {});
    if (draft.kind !== 'draft') throw new Error(draft.kind);
    await core.jobs.confirm(draft.preview.view.id, ANA, {});
    await jobIn(core, draft.preview.view.id, 'finished');
    expect([...arrivals(world).keys()].sort()).toEqual([phoneAt(0), phoneAt(2), phoneAt(3)]);
  });

  test('are sent again once, on a person’s word, and only they', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await runLinked(world, SMALL);
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'before', skip: 1 });
    const first = await startedJob(core, { count: 8 });
    await jobIn(core, first.id, 'finished');
    expect(await core.jobs.draftResend(first.id, BEN, {})).toMatchObject({ kind: 'not_yours' });
    expect(await core.jobs.draftResend(first.id, ANA, {})).toMatchObject({ kind: 'too_early' });
    world.time.advance(world.limits.leaseMs);
    // Until then, the service may still get the request.
    expect(await core.jobs.draftResend(first.id, ANA, {})).toMatchObject({ kind: 'too_early' });
    world.time.advance(STILL_LEAVES_MS);
    const drafts = await Promise.all([1, 2].map(() => core.jobs.draftResend(first.id, ANA, {})));
    const ids = drafts.map((draft) => (draft.kind === 'draft' ? draft.preview.view.id : ''));
    const answers = await Promise.all(ids.map((id) => core.jobs.confirm(id, ANA, {})));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['resend_refused', 'running']);
    const again = answers.find(({ kind }) => kind === 'running');
    if (again?.kind !== 'running') throw new Error('not running');
    expect(await jobIn(core, again.view.id, 'finished')).toMatchObject({
      counts: { sent: 4 },
      resends: { send: first.id },
    });
    expect(await core.jobs.view(first.id)).toMatchObject({ resentAs: again.view.id, decidable: 0 });
    expect(await core.jobs.draftResend(first.id, ANA, {})).toEqual({ kind: 'resent_already' });
    expect(Math.max(...arrivals(world).values())).toBe(1);
    expect(world.service.messages).toHaveLength(8);
  });
});

test('Send of a list that was pressed twice while an admin asks to unlink: the second says what the first did', async () => {
  const world = await createCoreWorld();
  const { core } = await runLinked(world);
  world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 1000, times: 'always' });
  const [late, begun] = [await draftedJob(core), await startedJob(core)];
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('not linked');
  await core.links.removeWhenDone(linked.link, ADMIN.id);
  const again = await core.jobs.confirm(begun.id, ANA, {});
  expect(again).toMatchObject({ kind: 'too_late', view: { id: begun.id, state: 'running' } });
  expect(await core.jobs.confirm(late.id, ANA, {})).toEqual({ kind: 'unlinking' });
});

test('a channel is unlinked once its jobs are done, if an admin asks for that', async () => {
  const world = await createCoreWorld({ limits: LIMITS });
  const { core, posted } = await runLinked(world, SMALL);
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 50, times: 'always' });
  const { id } = await startedJob(core, { count: 40 });
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('not linked');
  expect(await core.links.remove(linked.link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
  await core.links.removeWhenDone(linked.link, ADMIN.id);
  expect(
    await core.jobs.draft({
      channel: 'C-sales',
      person: ANA,
      source: { kind: 'pasted', text: aList(2) },
      template: 'Hi',
      words: ROW_WORDS,
      reply: {},
    }),
  ).toEqual({ kind: 'unlinking' });
  await jobIn(core, id, 'finished');
  await eventually(async () => expect(await core.links.find('T1', 'C-sales')).toBeUndefined());
  await eventually(() => expect(posted.some(({ topic }) => topic === 'link_changed')).toBe(true));
});
