import { createWorld, type World } from '../test/helpers/world.ts';
import { link } from '../test/helpers/world-steps.ts';
import { receiveAnswers } from './answers.ts';
import { startBare, startBot } from './apps.ts';
import { compareAcks, compareAnswers, compareRates } from './compare-loads.ts';
import type { Figure, Section } from './figures.ts';
import { interleaved } from './interleaved.ts';
import { load } from './load.ts';

const RUN_MS = 2000;
/** Back to back, an app that answers sooner is also warmer at the next command; with a pause both are asked as often. */
const RHYTHMS = [
  { connections: 1, pauseMs: undefined, at: '1 connection' },
  { connections: 1, pauseMs: 10, at: '1 connection, 10 ms apart' },
  { connections: 64, pauseMs: undefined, at: '64 connections' },
];
/** Stands in every answer: the account's name. */
const SAYS = 'Acme Ltd';
/** Permits end at once, so that as few are live as in a real minute. */
const LIMITS = { SMS_RATE_LIMIT: '10000', SMS_RATE_WINDOW_MS: '100' };

/** `/sms balance` by signed HTTP, from the command to the answer. */
export async function benchBalance(): Promise<Section> {
  const world = await createWorld({
    env: { ...LIMITS, LOG_LEVEL: 'info' },
    sandbox: { switches: { rateLimit: 1_000_000 }, keptRequests: 1000 },
  });
  const answers = await receiveAnswers();
  const running: { end(): Promise<void> }[] = [];
  try {
    running.push(await startBot(world));
    await link(world);
    const ours = { url: `${world.url}/slack/events` };
    const drive = (app: { url: string }, connections: number, pauseMs?: number) =>
      load({ ...app, signingSecret: world.signingSecret }, answers, {
        connections,
        pauseMs,
        ms: RUN_MS,
        fields: command(world),
        says: SAYS,
      });
    const { lastAnswer } = await drive(ours, 1);
    const bare = await startBare(world, { answer: lastAnswer });
    running.push(bare);
    const asking = await startBare(world, { answer: lastAnswer, asks: true });
    running.push(asking);

    // Once for nothing: an app that has just started is slower.
    for (const app of [bare, asking, ours]) await drive(app, 64);
    const figures: Figure[] = [];
    for (const { at, connections, pauseMs } of RHYTHMS) {
      const took = await interleaved({
        bare: () => drive(bare, connections, pauseMs),
        asking: () => drive(asking, connections, pauseMs),
        ours: () => drive(ours, connections, pauseMs),
      });
      figures.push(...compareAcks(at, took.ours, took.bare));
      for (const [app, theirs] of [
        ['the bare app', took.bare],
        ['the bare app that asks', took.asking],
      ] as const) {
        figures.push(...compareAnswers(`${at}, against ${app}`, took.ours, theirs));
        if (pauseMs === undefined) figures.push(compareRates(`${at}, against ${app}`, took.ours, theirs));
      }
    }
    return {
      title: '`/sms balance`',
      means:
        'Signed HTTP over kept-alive connections, on each the next command once the one before was acknowledged and ' +
        'answered. Acknowledged: the 200 is there. Answered: the post to the `response_url` arrived. Back to back, the app ' +
        'that answers sooner is asked more often and so is warmer; 10 ms apart, both rest in between. The bare app is ' +
        'Bolt’s own `ack` and `respond` with the same blocks. It knows the balance without asking: the bot makes a real ' +
        'request to the service under a permit, and takes the figure into its books. The bare app that asks makes the ' +
        'request too, without a permit and without books.',
      figures,
    };
  } finally {
    for (const app of running) await app.end();
    await answers.close();
    await world.close();
  }
}

/** What Slack says when a member types the command, but for what is another each time. */
function command({ slack }: World): Record<string, string> {
  return {
    token: 'bench',
    team_id: slack.team.id,
    team_domain: slack.team.domain,
    channel_id: slack.channels.sales.id,
    channel_name: slack.channels.sales.name,
    user_id: slack.people.member.id,
    user_name: slack.people.member.name,
    command: '/sms',
    text: 'balance',
    api_app_id: slack.bot.app_id,
    is_enterprise_install: 'false',
  };
}
