import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { answerTo, draft, link, press } from '../helpers/world-steps.ts';

/** Slack allows 3 s. The other figures are for readers of the report. */
describe('while the service hangs', () => {
  let world: World;
  const acks: { what: string; ms: number; status: number | null }[] = [];

  beforeAll(async () => {
    world = await createWorld({
      env: {
        LOG_LEVEL: 'info',
        SMS_RATE_LIMIT: '1000',
        SMS_TIMEOUT_MS: '15000',
        SMS_ATTEMPT_LEASE_MS: '30000',
      },
      sandbox: { switches: { rateLimit: 1000 } },
    });
    await world.start();
    await link(world);
  });
  afterAll(() => world.close());

  it('each of 60 commands and clicks is acknowledged in time', async () => {
    const { slack, service } = world;
    const { admin, member } = slack.people;
    const { sales } = slack.channels;
    const previews = [];
    for (let index = 0; index < 10; index += 1)
      previews.push(await draft(world, `+4420794614${String(index).padStart(2, '0')} Waiting`));
    const help = await answerTo(world, 'help');
    service.addFault({ kind: 'hang', endpoint: 'any', times: 'always', when: 'before' });
    const note = (what: string) => (reaction: { ms: number; status: number | null }) =>
      void acks.push({ what, ms: reaction.ms, status: reaction.status });
    const type = (text: string, user = member) =>
      slack.command({ user, channel: sales, text }).then(note(`/sms ${text.split(' ')[0]}`));
    // The first half comes all at once, the second half one by one meanwhile.
    await Promise.all([
      ...previews.map((preview) => press(world, preview, 'Send').then(note('Send'))),
      ...Array.from({ length: 5 }, () => type('balance')),
      ...Array.from({ length: 5 }, (_, index) => type(`send +44207946150${index} Meanwhile`)),
      ...Array.from({ length: 5 }, () => type('status')),
      ...Array.from({ length: 5 }, () =>
        slack.click({ user: member, message: help, text: 'Show balance' }).then(note('Show balance')),
      ),
    ]);
    for (let index = 0; index < 5; index += 1) {
      await type('balance');
      await type('help');
      await type('send');
      await type('settings', admin);
      await type(`send +44207946151${index} Meanwhile`);
      await slack.click({ user: member, message: help, text: 'Show balance' }).then(note('Show balance'));
    }
  });

  it('the table', async ({ annotate }) => {
    expect(acks.map(({ status }) => status)).toEqual(acks.map(() => 200));
    expect(Math.max(...acks.map(({ ms }) => ms))).toBeLessThan(3000);
    const names = [...new Set(acks.map(({ what }) => what))];
    const rows = [...names, ''].map((name) => {
      const times = acks.filter(({ what }) => name === '' || what === name).map(({ ms }) => ms);
      const sorted = times.sort((a, b) => a - b);
      const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
      return `${name || 'all'}: ${sorted.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
    });
    await annotate(rows.join(' | '));
  });
});
