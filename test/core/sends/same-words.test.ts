import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWordsOf } from '../../../src/core/sends/same-words.ts';
import { ANA, aNumber, BEN, TEXT } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, linkTo, run, runLinked } from '../../helpers/core-world.ts';

const DAY_MS = 86_400_000;

async function start() {
  const world = await createCoreWorld();
  const running = await runLinked(world, { repeatGuardMs: DAY_MS });
  return { world, ...running };
}

test('the preview of the same words to the same number says who sent them, in whichever channel', async () => {
  const { core, instance } = await start();
  await linkTo(core, instance, {}, 'C-support');
  const first = await confirmed(core);
  await ended(core, first.id);
  const again = await core.sends.draft({
    channel: 'C-support',
    person: BEN,
    number: aNumber(),
    reply: null,
    text: `  ${TEXT.replaceAll(' ', '\n ')} `,
  });
  expect(again).toMatchObject({ same: { send: first.id, by: ANA.id, state: 'sent' } });
  const others = { person: BEN, number: aNumber('+44 20 7946 0959') };
  expect(
    await core.sends.draft({ channel: 'C-support', text: TEXT, reply: null, ...others }),
  ).not.toHaveProperty('same');
});

test('two people press Send at the same moment: one sends, the other is asked, and may send anyway', async () => {
  const { core, world } = await start();
  const drafts = [await drafted(core), await drafted(core, { person: BEN })];
  const answers = await Promise.all([
    core.sends.confirm(drafts[0]?.id ?? '', ANA, null),
    core.sends.confirm(drafts[1]?.id ?? '', BEN, null),
  ]);
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['running', 'same_words']);
  const asked = answers.findIndex(({ kind }) => kind === 'same_words');
  const [sent = '', open = ''] =
    asked === 0 ? [drafts[1]?.id, drafts[0]?.id] : [drafts[0]?.id, drafts[1]?.id];
  expect(answers[asked]).toMatchObject({ same: { send: sent }, view: { id: open, state: 'draft' } });
  await ended(core, sent);
  expect(world.sendRequests()).toHaveLength(1);
  const person = asked === 0 ? ANA : BEN;
  expect(await core.sends.confirm(open, person, null, { allowed: 'another' })).toMatchObject({
    kind: 'same_words',
  });
  expect(await core.sends.confirm(open, person, null, { allowed: sent })).toMatchObject({ kind: 'running' });
  await ended(core, open);
  expect(world.sendRequests()).toHaveLength(2);
});

test('a text is known by its hash, which shows neither number nor words; with another secret the hash differs', () => {
  const wordsOf = createWordsOf(Buffer.alloc(32, 1), DAY_MS);
  const hashOf = (text: string, phone = '442079460958', team = 'T1') => wordsOf(team, { phone, text })?.hash;
  const hash = hashOf('Café at 5');
  expect(hash).toMatch(/^[\w-]{43}$/);
  expect(hashOf(' Cafe\u0301  at\n5 ')).toBe(hash);
  const others = [hashOf('café at 5'), hashOf('Café at 6'), hashOf('Café at 5', '442079460959')];
  const elsewhere = [
    hashOf('Café at 5', '442079460958', 'T2'),
    createWordsOf(Buffer.alloc(32, 2), DAY_MS)('T1', { phone: '442079460958', text: 'Café at 5' })?.hash,
  ];
  expect(new Set([hash, ...others, ...elsewhere]).size).toBe(6);
  expect(createWordsOf(Buffer.alloc(32, 1), 0)('T1', { phone: '1', text: 'x' })).toBeUndefined();
});

test('the guard still asks when retention has deleted number and words, and its own bytes hold neither', async () => {
  const world = await createCoreWorld();
  const options = { repeatGuardMs: 7 * DAY_MS, retention: { days: 3 } };
  const first = await runLinked(world, options);
  const { id } = await confirmed(first.core, { text: 'Wombat' });
  await ended(first.core, id);
  await eventually(async () => expect(await first.ledger.nextDueAt()).toBeUndefined());
  await first.stop();
  world.time.advance(4 * DAY_MS);
  const through = Promise.withResolvers<void>();
  world.time.duringSleepOf(600_000, () => through.resolve());
  const { core } = await run(world, options);
  await through.promise;
  expect(await core.sends.view(id)).toMatchObject({ text: '', e164: '' });
  const files = readdirSync(world.folder).filter((name) => name.startsWith('switchboard.db'));
  const bytes = files.map((name) => readFileSync(join(world.folder, name), 'latin1')).join('');
  for (const word of ['Wombat', '79460958']) expect(bytes).not.toContain(word);
  const again = { channel: 'C-sales', person: BEN, number: aNumber(), text: 'Wombat', reply: null };
  expect(await core.sends.draft(again)).toMatchObject({ same: { send: id, by: ANA.id, state: 'sent' } });
});
