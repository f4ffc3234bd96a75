import { describe, expect, onTestFinished, test } from 'vitest';
import { createPoll } from '../../../src/core/accounts/poll-balances.ts';
import { createCore } from '../../../src/core/core.ts';
import { addInstance, BASE_URL, createCoreWorld, linkTo } from '../../helpers/core-world.ts';
import { watchCommands } from '../../helpers/redis-commands.ts';
import { startRedis, withoutRedis } from '../../helpers/redis-server.ts';
import { joinRedis } from '../../helpers/two-bots.ts';

/** Polls are further apart than this, in ms. */
const POLL_MS = 1;

describe.skipIf(withoutRedis)('a round of polls', () => {
  test('takes ten commands to Redis if one instance is linked to one channel', async () => {
    const world = await createCoreWorld();
    const server = await startRedis();
    onTestFinished(() => server.close());
    const booted = await joinRedis(server)(world);
    // The test does not start core, so no other round adds to the count.
    const core = createCore({
      ...booted,
      baseUrl: BASE_URL,
      draftTtlMs: 900_000,
      listUndoMs: 0,
      bulk: { chunkSize: 100, mostCharacters: 1000, minRecipients: 51 },
      bulkRefusals: 'unproven',
      balancePollMs: POLL_MS,
      repeatGuardMs: 0,
      retention: { days: 90, lookupDays: 400 },
      admins: [],
      clock: world.time.clock,
    });
    await linkTo(core, await addInstance(core));
    const { ledger, records, log } = booted;
    const round = createPoll({
      ledger,
      instances: records.instances,
      credit: core.credit,
      everyMs: POLL_MS,
      log,
    });
    const poll = () => round(new AbortController().signal);
    // After a start, the bot compares its first read with the books.
    await poll();

    const commandsOfAPoll = await watchCommands(server);
    world.time.advance(300_000);
    const before = world.balanceRequests().length;
    const commands = await commandsOfAPoll(poll);
    expect(world.balanceRequests()).toHaveLength(before + 1);
    expect(commands, commands.join('\n')).toHaveLength(10);
  });
});
