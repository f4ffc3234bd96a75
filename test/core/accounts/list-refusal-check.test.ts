import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Switches } from 'credit-sandbox';
import { describe, expect, test } from 'vitest';
import { type Begun, CHECK_TEXT } from '../../../src/core/accounts/list-refusal-check.ts';
import { proposalOf } from '../../../src/core/accounts/list-refusal-seen.ts';
import { dayOf } from '../../../src/ledger/model/days.ts';
import { notNowInWords, seenInWords, WHY_NOTHING_TOLD } from '../../../src/slack/ui/setup/refusal-words.ts';
import { jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME,
  addInstance,
  BIRCH_KEY,
  type CoreWorld,
  createCoreWorld,
  run,
  runLinked,
} from '../../helpers/core-world.ts';

const OWN = '447700900999';
const LIMITS = { leaseMs: 60_000, timeoutMs: 2000 };
const FIRST = { count: 0, phone: OWN, by: ADMIN.id };

const bulkRequests = ({ service }: CoreWorld) =>
  service.requests.filter(({ endpoint }) => endpoint === 'bulk');
/** The true answer of an admin who holds the phone. */
const truth = ({ service }: CoreWorld): 'yes' | 'no' =>
  service.messages.some(({ phone, text }) => phone === OWN && text === CHECK_TEXT) ? 'yes' : 'no';

function findingIn(begun: Begun) {
  if (begun.kind !== 'done' || !begun.progress.finding) throw new Error(JSON.stringify(begun));
  return begun.progress.finding;
}

describe('a check of refused lists', () => {
  const kinds: [Switches['bulkRefusal'], 'atomic' | 'unproven', string][] = [
    [{ kind: 'whole' }, 'atomic', 'refused with 422, 0 credits charged, no text arrived'],
    [{ kind: 'charges' }, 'unproven', 'refused with 422, 1 credit charged, a text arrived'],
    [{ kind: 'rolls_back' }, 'unproven', 'refused with 422, 0 credits charged, a text arrived'],
    [{ kind: 'charges_later', ms: 30 }, 'unproven', 'refused with 422, 1 credit charged, a text arrived'],
    [
      { kind: 'charges_later', ms: 60_000 },
      'unproven',
      'refused with 422, 0 credits charged, a text arrived',
    ],
    [{ kind: 'shows_old_balance', ms: 30 }, 'unproven', 'refused with 422, 1 credit charged, a text arrived'],
  ];
  test.each(kinds)('of a provider that is %o speaks for %s', async (bulkRefusal, mode, words) => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ bulkRefusal });
    const { core, instance } = await runLinked(world);
    expect(await core.refusalChecks.mostCredits(instance)).toBe(2);
    const begun = await core.refusalChecks.begin(instance, FIRST);
    expect(begun).toMatchObject({ kind: 'done', progress: { step: 'asked', count: 1, by: ADMIN.id } });
    const { seen } = findingIn(begun);
    expect(seen).toMatchObject({ answer: 'refused', status: 422, code: 'VALIDATION_ERROR', before: 1000 });
    expect(seen.after).toHaveLength(2);
    expect(proposalOf(seen, truth(world))).toBe(mode);
    const own = { count: 1, arrived: truth(world), mode, by: ADMIN.id };
    expect(await core.refusalChecks.end(instance, own)).toBe(true);
    const rule = await core.refusals.of(instance);
    expect(rule).toMatchObject({ mode, by: ADMIN.id });
    expect(rule.check && seenInWords(rule.check)).toBe(words);
    expect(bulkRequests(world)).toHaveLength(1);
  });

  test('calls its own charge no use elsewhere, neither in the statement nor to admins', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ bulkRefusal: { kind: 'charges' } });
    world.service.setCredits(ACME, 10);
    const { core, instance, ledger } = await runLinked(world);
    expect(findingIn(await core.refusalChecks.begin(instance, FIRST)).seen.after).toEqual([9, 9]);
    const today = dayOf(ledger.now());
    const statement = await core.statements.of(instance, { from: today, to: today });
    expect(statement).toMatchObject({ opening: 10, closing: 9, elsewhere: 0, unexplained: -1 });
    expect((await core.homes.facts('T1')).drifts).toEqual([]);
  });

  test('does not text a number that is opted out: not the admin’s own either', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world);
    await core.optOuts.change('T1', [OWN], { to: 'out', by: ADMIN.id, via: 'command' });
    const begun = await core.refusalChecks.begin(instance, FIRST);
    expect(begun).toEqual({ kind: 'opted_out' });
    expect(notNowInWords({ kind: 'opted_out' })).toContain('Your own number is opted out');
    expect(bulkRequests(world)).toEqual([]);
  });

  test('does not text a number whose opt-out was answered before its request', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance, tap } = await runLinked(world);
    let hasLooked = false;
    tap.intercept('optOut', (real) => async (...asked) => {
      hasLooked = true;
      return real(...asked);
    });
    tap.intercept('permit', (real) => async (...asked) => {
      if (!hasLooked) return real(...asked);
      // The store is slow. Meanwhile somebody opts the number out, which takes a second.
      await core.optOuts.change('T1', [OWN], { to: 'out', by: ADMIN.id, via: 'command' });
      world.time.jump('steady', 1001);
      return real(...asked);
    });
    const begun = await core.refusalChecks.begin(instance, FIRST);
    expect(findingIn(begun).seen).toMatchObject({ answer: 'not_started' });
    expect(hasLooked).toBe(true);
    expect(bulkRequests(world)).toEqual([]);
  });

  test('sends one request, even if several people begin it at once, and none for a used form', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world);
    const all = await Promise.all(
      [ADMIN.id, ADMIN.id, 'U-other'].map((by) => core.refusalChecks.begin(instance, { ...FIRST, by })),
    );
    expect(all.map(({ kind }) => kind).sort()).toEqual(['done', 'not_first', 'not_first']);
    expect(await core.refusalChecks.begin(instance, FIRST)).toMatchObject({ kind: 'not_first' });
    expect(bulkRequests(world)).toHaveLength(1);
    const end = { count: 1, arrived: 'unsure' as const, by: ADMIN.id };
    expect(await core.refusalChecks.end(instance, end)).toBe(true);
    expect(await core.refusalChecks.end(instance, { ...end, mode: 'atomic' })).toBe(false);
    expect(await core.refusals.of(instance)).toEqual({ mode: 'unproven' });
    expect(await core.refusalChecks.begin(instance, FIRST)).toMatchObject({ kind: 'not_first' });
    expect(await core.refusalChecks.begin(instance, { ...FIRST, count: 1 })).toMatchObject({ kind: 'done' });
    expect(bulkRequests(world)).toHaveLength(2);
  });

  test('whose process died while it was sending is not repeated; a person may begin the next one', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const first = await runLinked(world);
    world.service.addFault({ kind: 'hang', endpoint: 'bulk' });
    void first.core.refusalChecks.begin(first.instance, FIRST).catch(() => undefined);
    await eventually(() => expect(bulkRequests(world)).toHaveLength(1));
    first.kill();
    const { core } = await run(world);
    const { progress, begin } = core.refusalChecks;
    expect(await progress(first.instance)).toMatchObject({ step: 'sending', count: 1, by: ADMIN.id });
    for (const count of [0, 1]) {
      expect(await begin(first.instance, { ...FIRST, count })).toMatchObject({ kind: 'not_first' });
    }
    world.time.advance(LIMITS.timeoutMs + 61_000);
    expect(await progress(first.instance)).toMatchObject({ step: 'broken_off', count: 1 });
    expect(await begin(first.instance, FIRST)).toMatchObject({ kind: 'not_first' });
    expect(await begin(first.instance, { ...FIRST, count: 1 })).toMatchObject({ kind: 'done' });
    expect(bulkRequests(world)).toHaveLength(2);
  });

  test('whose process stood still after its claim makes no request', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance, tap } = await runLinked(world);
    tap.intercept('changeState', (real) => async (name, move) => {
      const moved = await real(name, move);
      if (move.to === '1:sending') world.time.jump('wall', 120_000);
      return moved;
    });
    const begun = await core.refusalChecks.begin(instance, FIRST);
    expect(findingIn(begun).seen).toMatchObject({ answer: 'not_started', after: [] });
    expect(begun).toMatchObject({ kind: 'done', progress: { step: 'over', count: 1 } });
    expect(bulkRequests(world)).toHaveLength(0);
  });

  test('that an admin ends as unproven makes the rule so, even if the bot dies right then', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance, tap } = await runLinked(world, { bulkRefusals: 'atomic' });
    await core.refusalChecks.begin(instance, FIRST);
    tap.intercept('changeState', (real) => async (name, move) => {
      const moved = await real(name, move);
      if (move.to === '1:over') throw new Error('the bot died');
      return moved;
    });
    const end = { count: 1, arrived: 'yes', mode: 'unproven', by: ADMIN.id } as const;
    await expect(core.refusalChecks.end(instance, end)).rejects.toThrow('the bot died');
    expect(await core.refusals.of(instance)).toMatchObject({ mode: 'unproven', by: ADMIN.id });
  });

  test('keeps no phone number, and the log has none', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world);
    await core.refusalChecks.begin(instance, FIRST);
    await core.refusalChecks.end(instance, { count: 1, arrived: 'no', mode: 'atomic', by: ADMIN.id });
    const files = readdirSync(world.folder).map((file) => readFileSync(join(world.folder, file), 'latin1'));
    expect(files.join('')).toContain('refusal-check:');
    for (const where of [files.join(''), world.logged()]) expect(where).not.toMatch(/7700900999|\b99900\b/);
  });

  test('leaves the books even: its own charge is not missing from them', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ bulkRefusal: { kind: 'charges' } });
    const { core, instance } = await runLinked(world, {
      bulk: { chunkSize: 4, minRecipients: 2 },
      bulkRefusals: 'atomic',
    });
    // After such a job, the bot watches the account for a while.
    await jobIn(core, (await startedJob(core, { count: 4 })).id, 'finished');
    await core.credit.readFresh(instance, 'interactive');
    expect(findingIn(await core.refusalChecks.begin(instance, FIRST)).seen.after).toEqual([995, 995]);
    await core.credit.readFresh(instance, 'interactive');
    expect(await core.refusals.of(instance)).toEqual({ mode: 'atomic' });
  });
});

describe('a check that can’t tell', () => {
  const faults = [
    ['accepted', undefined, /accepted both texts/],
    ['rate_limited', { kind: 'rate_limited', endpoint: 'bulk' }, /asked to wait/],
    ['key_refused', { kind: 'key_revoked', endpoint: 'bulk' }, /refused the API key/],
    ['no_answer', { kind: 'reset', endpoint: 'bulk' }, /no clear answer/],
    ['no_answer', { kind: 'server_error', endpoint: 'bulk' }, /no clear answer/],
  ] as const;
  test.each(faults)('%s: it is over, is not repeated, and the rule stays', async (answer, fault, words) => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.setSwitches({ bulkInvalid: 'send_rest' });
    if (fault) world.service.addFault(fault);
    const { core, instance } = await runLinked(world, { bulkRefusals: 'atomic' });
    const begun = await core.refusalChecks.begin(instance, FIRST);
    expect(begun).toMatchObject({ kind: 'done', progress: { step: 'over', count: 1 } });
    const { seen } = findingIn(begun);
    expect(seen.answer).toBe(answer);
    expect(WHY_NOTHING_TOLD[seen.answer]).toMatch(words);
    expect(proposalOf(seen, 'no')).toBeUndefined();
    expect(proposalOf(seen, 'yes')).toBeUndefined();
    expect(
      await core.refusalChecks.end(instance, { ...FIRST, count: 1, arrived: 'no', mode: 'atomic' }),
    ).toBe(false);
    expect(await core.refusals.of(instance)).toEqual({ mode: 'atomic' });
    expect(bulkRequests(world)).toHaveLength(1);
  });

  const seen = { answer: 'refused', status: 422, before: 10, after: [10, 10], alone: true } as const;
  test.each([
    ['the admin can’t tell', seen, 'unsure', undefined],
    ['nobody can tell, but it was charged', { ...seen, after: [10, 9] }, 'unsure', 'unproven'],
    ['it was charged, and nothing arrived', { ...seen, after: [9, 9] }, 'no', 'unproven'],
    ['credits were topped up', { ...seen, after: [10, 510] }, 'no', undefined],
    ['topped up, but it arrived', { ...seen, after: [510, 510] }, 'yes', 'unproven'],
    ['a balance is missing', { ...seen, after: [10] }, 'no', undefined],
    ['another text was on its way', { ...seen, after: [9, 9], alone: false }, 'no', undefined],
    ['it was refused for another reason', { ...seen, status: 403 }, 'no', undefined],
    ['it was refused for lack of credits', { ...seen, status: 402 }, 'no', undefined],
    ['for another reason, but it arrived', { ...seen, status: 403 }, 'yes', 'unproven'],
  ] as const)('%s', (_, found, arrived, mode) => {
    expect(proposalOf({ ...found, after: [...found.after] }, arrived)).toBe(mode);
  });
});

describe('no check begins, and nothing is sent,', () => {
  async function refused(world: CoreWorld, begun: Promise<Begun>, words: RegExp): Promise<void> {
    const before = bulkRequests(world).length;
    const said = await begun;
    if (said.kind === 'done' || said.kind === 'not_first') throw new Error(said.kind);
    expect(notNowInWords(said)).toMatch(words);
    expect(bulkRequests(world)).toHaveLength(before);
  }

  test('while a text of the account is in flight, or its fate is unknown and has no evidence yet', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world);
    world.service.addFault({ kind: 'hang', endpoint: 'send' });
    const { id } = await confirmed(core);
    await eventually(() => expect(world.sendRequests()).toHaveLength(1));
    await refused(world, core.refusalChecks.begin(instance, FIRST), /still being sent.*Nothing was sent/s);
    expect((await ended(core, id)).outcome).toBe('unknown');
    await refused(world, core.refusalChecks.begin(instance, FIRST), /unknown texts.*Nothing was sent/s);
    world.time.advance(LIMITS.leaseMs + 1);
    await eventually(async () => expect((await core.sends.view(id))?.evidence).toBeDefined());
    expect(await core.refusalChecks.begin(instance, FIRST)).toMatchObject({ kind: 'done' });
  });

  test('while a job of the account is running; a paused one does not matter', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 300, when: 'before', times: 2 });
    const { core, instance } = await runLinked(world);
    const { id } = await startedJob(core, { count: 40 });
    await refused(world, core.refusalChecks.begin(instance, FIRST), /job of this account is running/);
    await core.jobs.pause(id, ANA);
    await eventually(async () => expect((await core.jobs.view(id))?.counts.inFlight).toBe(0));
    expect(await core.refusalChecks.begin(instance, FIRST)).toMatchObject({ kind: 'done' });
    expect(world.service.messages.filter(({ phone }) => phone === phoneAt(39))).toEqual([]);
  });

  test('without the credits for both texts: a refusal for lack of credits would prove nothing', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core, instance } = await runLinked(world);
    world.service.setCredits(ACME, 1);
    await refused(world, core.refusalChecks.begin(instance, FIRST), /needs 2 credits, .* has 1 credit\./);
  });

  test('if the balance can’t be read', async () => {
    const world = await createCoreWorld({ limits: LIMITS });
    const { core } = await run(world);
    const instance = await addInstance(core, BIRCH_KEY, 'Birch');
    world.service.addFault({ kind: 'bad_gateway', endpoint: 'balance', times: 'always' });
    await refused(world, core.refusalChecks.begin(instance, FIRST), /did not say what the balance is/);
    world.service.clearFaults();
    world.service.revokeKey(BIRCH_KEY);
    await refused(world, core.refusalChecks.begin(instance, FIRST), /refuses this instance’s API key/);
  });
});
