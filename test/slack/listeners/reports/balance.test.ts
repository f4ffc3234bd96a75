import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Click } from '../../../../src/slack/listeners/click.ts';
import { shareBalance, showBalance } from '../../../../src/slack/listeners/reports/balance.ts';
import { createRights } from '../../../../src/slack/people/rights.ts';
import type { SlackDeps } from '../../../../src/slack/workspaces/deps.ts';
import { ANA, aPerson } from '../../../helpers/core-people.ts';
import { ACME, ACME_KEY, createCoreWorld, runLinked } from '../../../helpers/core-world.ts';

/** `/sms balance` without Slack: its answers and its log. */
async function startShow() {
  const world = await createCoreWorld();
  const running = await runLinked(world);
  // The link has just read a balance, so wait until that read is no longer shared.
  world.time.advance(251);
  const said: string[] = [];
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const core = running.core.forTeam('T1');
  const rights = createRights({ core } as Parameters<typeof createRights>[0]);
  const posted: string[] = [];
  const web = { chat: { postMessage: async ({ text }: { text: string }) => void posted.push(text) } };
  const deps = { core, rights, log, web } as unknown as SlackDeps;
  const show = (say = async (text: string) => void said.push(text)) =>
    showBalance(deps, { person: ANA, channel: 'C-sales' }, ({ text }) => say(text));
  const ask = (mayAsk: () => Promise<boolean>) =>
    showBalance(deps, { person: ANA, channel: 'C-sales', mayAsk }, async ({ text }) => void said.push(text));
  const share = (person = ANA) => {
    const click = {
      person,
      channel: 'C-sales',
      answer: async ({ text }: { text: string }) => void said.push(text),
    };
    return shareBalance(deps, click as unknown as Click);
  };
  return { world, ...running, said, posted, lines, show, ask, share };
}

test('a balance is said before it is recorded, and shown once it is recorded', async () => {
  const { world, core, instance, said, show } = await startShow();
  world.service.setCredits(ACME, 4321);
  const figures: (number | undefined)[] = [];
  await show(async (text) => {
    said.push(text);
    figures.push((await core.credit.known(instance))?.credits);
  });
  figures.push((await core.credit.known(instance))?.credits);
  expect(said).toEqual([expect.stringContaining('4,321 credits')]);
  expect(figures).toEqual([1000, 4321]);
});

test('a balance that is asked for again at once is said again; what costs a request is asked for first', async () => {
  const { world, said, ask } = await startShow();
  const requests = () => world.balanceRequests().length;
  const before = requests();
  let asked = 0;
  const mayAsk = (answer: boolean) => async () => {
    asked += 1;
    return answer;
  };
  await ask(mayAsk(true));
  await ask(mayAsk(true));
  expect(said).toEqual([expect.stringContaining('1,000 credits'), expect.stringContaining('1,000 credits')]);
  expect([requests() - before, asked]).toEqual([1, 1]);
  world.time.advance(251);
  await ask(mayAsk(false));
  expect([said.length, requests() - before, asked]).toEqual([2, 1, 2]);
});

test('a balance that can’t be recorded is still said, once; the log has the reason', async () => {
  const { tap, said, lines, show } = await startShow();
  tap.intercept('recordBalance', () => async () => {
    throw new Error('no room');
  });
  await show();
  expect(said).toEqual([expect.stringContaining('1,000 credits')]);
  expect(lines).toEqual([expect.stringContaining('could not be recorded')]);
});

test('a balance that can neither be said nor recorded is in the log all the same', async () => {
  const { tap, lines, show } = await startShow();
  tap.intercept('recordBalance', () => async () => {
    throw new Error('no room');
  });
  const failing = show(async () => {
    throw new Error('Slack is away');
  });
  await expect(failing).rejects.toThrow('Slack is away');
  expect(lines).toEqual([expect.stringContaining('could not be recorded')]);
});

test('Share in channel: the channel reads the balance; only the person reads why there is none', async () => {
  const { world, said, posted, share } = await startShow();
  await share();
  expect(posted).toEqual([expect.stringContaining('1,000 credits')]);
  await share(aPerson({ isGuest: true }));
  world.time.advance(251);
  world.service.revokeKey(ACME_KEY);
  await share();
  expect(posted).toHaveLength(1);
  expect(said).toEqual([
    expect.stringContaining('Only people who may send from this channel can see its balance'),
    expect.stringContaining('The balance cannot be read'),
  ]);
});
