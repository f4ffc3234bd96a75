import { createWorld } from '../test/helpers/world.ts';
import { link } from '../test/helpers/world-steps.ts';
import { receiveAnswers } from './answers.ts';
import { startBare, startBot } from './apps.ts';
import { compareAcks, compareAnswers, compareMedians, compareRates } from './compare-loads.ts';
import type { Figure, Section } from './figures.ts';
import { interleaved } from './interleaved.ts';
import { load } from './load.ts';
import { typedCommand } from './typed-command.ts';

const RUN_MS = 2000;
const CONNECTIONS = [1, 64];
/** The pause between commands, in ms. After it, no command shares the figure of the one before. */
const ANEW = { pauseMs: 300, ms: 6000 };
/** The account's name, which every answer holds. */
const SAYS = 'Acme Ltd';
/** Permits end soon, so that no more are live than in a real minute. */
const LIMITS = { SMS_RATE_LIMIT: '10000', SMS_RATE_WINDOW_MS: '100' };

/** The time from the command to the answer of `/sms balance`, by signed HTTP. */
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
    const drive = (
      app: { url: string },
      connections: number,
      { pauseMs, ms }: { pauseMs?: number; ms: number } = { ms: RUN_MS },
    ) =>
      load({ ...app, signingSecret: world.signingSecret }, answers, {
        connections,
        pauseMs,
        ms,
        fields: typedCommand(world, 'balance'),
        says: SAYS,
      });
    const { lastAnswer } = await drive(ours, 1);
    const bare = await startBare(world, { answer: lastAnswer });
    running.push(bare);
    const asking = await startBare(world, { answer: lastAnswer, asks: true });
    running.push(asking);

    // The first load does not count: an app that has just started is slower.
    for (const app of [bare, asking, ours]) await drive(app, 64);
    const figures: Figure[] = [];
    for (const connections of CONNECTIONS) {
      const took = await interleaved({
        bare: () => drive(bare, connections),
        ours: () => drive(ours, connections),
      });
      const at = connections === 1 ? '1 connection' : `${connections} connections`;
      figures.push(
        ...compareAcks(at, took.ours, took.bare),
        ...compareAnswers(at, took.ours, took.bare),
        compareRates(at, took.ours, took.bare),
      );
    }
    const anew = await interleaved({
      bare: () => drive(bare, 1, ANEW),
      asking: () => drive(asking, 1, ANEW),
      ours: () => drive(ours, 1, ANEW),
    });
    for (const [app, theirs] of [
      ['the bare app', anew.bare],
      ['the bare app that asks', anew.asking],
    ] as const) {
      figures.push(compareMedians(`Answered, ${ANEW.pauseMs} ms apart, against ${app}`, anew.ours, theirs));
    }
    return {
      title: '`/sms balance`',
      means:
        'Signed HTTP over kept-alive connections, on each the next command once the one before was acknowledged and ' +
        'answered. Acknowledged: the 200 is there. Answered: the post to the `response_url` arrived. The bare app is Bolt’s ' +
        'own `ack` and `respond` with the same blocks, and knows the balance without asking. The bot asks the service ' +
        'at most four times a second: so many commands at once are mostly told what was just read. 300 ms apart each ' +
        'of them is a real request to the service, under a permit and taken into the books. The bare app that asks makes ' +
        'that request too, without a permit and without books.',
      figures,
    };
  } finally {
    for (const app of running) await app.end();
    await answers.close();
    await world.close();
  }
}
