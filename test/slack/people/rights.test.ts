import { describe, expect, it, test } from 'vitest';
import { createRights } from '../../../src/slack/people/rights.ts';
import { ADMIN, ANA, aPerson, BEN, settings } from '../../helpers/core-people.ts';
import { ANY_LINK, createCoreWorld, runLinked } from '../../helpers/core-world.ts';
import { buttonOf, labelsOf } from '../ui/samples.ts';

/** Answers to people who act in a channel. Ben is in #sales, too. */
async function asker() {
  const { core, records } = await runLinked(await createCoreWorld());
  const team = core.forTeam('T1');
  const conversations = {
    hasMember: async (channel: string) => channel === 'C-sales',
    sendableBy: async ({ id }: { id: string }) => (id === BEN.id ? [{ id: 'C-sales', name: 'sales' }] : []),
  };
  const access = { again: async (person: typeof ANA) => person };
  const rights = createRights({ core: team, conversations, access });
  return {
    team,
    records,
    rights,
    refused: async (...[person, channel]: [typeof ANA, string]) =>
      (await rights.optOutRefusal(person, channel))?.text,
  };
}

test('everybody who may send from here, or from another of their channels, may change opt-outs', async () => {
  const { refused } = await asker();
  expect(await refused(ANA, 'C-sales')).toBeUndefined();
  expect(await refused(BEN, 'C-elsewhere')).toBeUndefined();
  expect(await refused(ADMIN, 'C-elsewhere')).toBeUndefined();
  expect(await refused(ANA, 'C-elsewhere')).toContain('a channel that you may send from');
  expect(await refused(aPerson({ id: 'U-guest', isGuest: true }), 'C-sales')).toContain(
    'a channel that you may send from',
  );
});

test('only admins may, where they chose that', async () => {
  const { records, refused } = await asker();
  await records.workspaceRules.set('T1', { team: 'T1', whoMayOptOut: 'admins', by: ADMIN.id });
  expect(await refused(ANA, 'C-sales')).toContain('Only admins can change opt-outs');
  expect(await refused(ADMIN, 'C-sales')).toBeUndefined();
});

test('somebody who is no admin reads which admin to ask', async () => {
  const { rights } = await asker();
  expect((await rights.adminsOnly('limits')).text).toMatch(
    /Only admins can use `\/sms limits`\.\nPlease ask <@[\w-]+> or another admin\.$/,
  );
});

describe('a refusal that somebody can end has the button for it', () => {
  it.each([undefined, 'https://pay.example/'])(
    'too few credits: Top up, if there is a link (%s)',
    async (topUpUrl) => {
      const { team, rights } = await asker();
      const linked = await team.links.find('C-sales');
      if (!linked) throw new Error('not linked');
      await team.links.saveSettings(linked.link, settings({ topUpUrl }), ANY_LINK);
      const short = { kind: 'credits_short', needed: 2, available: 1 } as const;
      const refusal = await rights.refusalMessage(ANA, short, { channel: 'C-sales' });
      expect(labelsOf(refusal)).toEqual(topUpUrl ? ['Top up'] : []);
    },
  );

  it('a refused key: Replace key, for admins', async () => {
    const { rights } = await asker();
    const refused = { kind: 'key_refused', instanceName: 'Acme', instanceId: 'i1' } as const;
    const toAdmin = await rights.refusalMessage(ADMIN, refused, undefined);
    expect(buttonOf(toAdmin, 'Replace key')).toMatchObject({ value: 'i1' });
    expect(labelsOf(await rights.refusalMessage(ANA, refused, undefined))).toEqual([]);
  });

  it('a refused key, in a form that shows the words without the button: names the command', async () => {
    const { rights } = await asker();
    const refused = { kind: 'key_refused', instanceName: 'Acme', instanceId: 'i1' } as const;
    for (const person of [ADMIN, ANA]) {
      const { text } = await rights.refusalMessage(person, refused, undefined);
      expect(text).toMatch(/An admin can replace the key in `\/sms settings`\.$/);
    }
  });
});
