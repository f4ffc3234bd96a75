import type { App } from '@slack/bolt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { receiveRemovals } from '../../../src/slack/listeners/removals.ts';

/** A Bolt app that acks every event, and removals that note their events. */
function start(begin: () => Promise<void> = async () => {}) {
  const steps: unknown[] = [];
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const app = { processEvent: async () => void steps.push('acknowledged') };
  const removals = {
    async begin(id: string) {
      steps.push(id);
      await begin();
    },
    async beginOf(enterprise: string, teams: readonly string[]) {
      steps.push([enterprise, teams]);
      await begin();
    },
  };
  receiveRemovals(app as unknown as App, removals, log);
  const tell = (body: object) => (app.processEvent as (event: object) => Promise<void>)({ body });
  return { steps, lines, tell };
}

const envelope = { team_id: 'T1' };
const ofOrganisation = { team_id: null, authorizations: [{ enterprise_id: 'E1' }] };

test.each([
  ['app_uninstalled', { ...envelope, event: { type: 'app_uninstalled' } }, 'T1'],
  ['tokens_revoked', { ...envelope, event: { type: 'tokens_revoked', tokens: { bot: ['U'] } } }, 'T1'],
  [
    'team_access_revoked',
    { ...ofOrganisation, event: { type: 'team_access_revoked', team_ids: ['T1', 'T2'] } },
    ['E1', ['T1', 'T2']],
  ],
])('%s is written down before it is acknowledged', async (_, body, told) => {
  const { steps, tell } = start();
  await tell(body);
  expect(steps).toEqual([told, 'acknowledged']);
});

test('an event that can’t be written down is not acknowledged: Slack sends it again', async () => {
  const { steps, lines, tell } = start(async () => {
    throw new Error('the store is away');
  });
  await expect(tell({ ...envelope, event: { type: 'app_uninstalled' } })).rejects.toThrow(
    'the store is away',
  );
  expect(steps).toEqual(['T1']);
  expect(lines.join()).toMatch(/the store is away.*could not note a removal/);
});

test.each([
  { ...envelope, event: { type: 'tokens_revoked', tokens: { bot: [], oauth: ['U'] } } },
  { event: { type: 'team_access_revoked', team_ids: ['T1'] } },
  { ...envelope, event: { type: 'message' } },
  { command: '/sms', team_id: 'T1' },
])('%j is none of it', async (body) => {
  const { steps, tell } = start();
  await tell(body);
  expect(steps).toEqual(['acknowledged']);
});
