import { randomBytes } from 'node:crypto';
import { remains } from '../../src/core/history/remains.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { scanKeys } from '../../src/store/redis/scan-keys.ts';
import { startRedis } from '../../test/helpers/redis-server.ts';
import type { World } from '../../test/helpers/world.ts';
import { startBot } from '../apps.ts';
import { openBenchStore } from '../bench-store.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { meterRedis } from './redis-meter.ts';
import { createLinker, createRichWorld, RECIPIENTS, sendList, sendOne, untilListed } from './rich-world.ts';

/** How many bytes of Redis's memory a text takes, without its entry in the look-up. */
export interface Stay {
  /** With words and number, until `RETENTION_DAYS` are over. */
  whole: number;
  /** Without them, until `LOOKUP_DAYS` are over. */
  rest: number;
}

export interface Stays {
  single: Stay;
  /** A text of a list. */
  recipient: Stay;
}

const TEXTS = 300;
const LISTS = 3;
const LEDGER = 'switchboard:ledger:';
/** Documents that go within minutes, and the look-up. */
const LEFT_OUT = ['d:seen:', 'i:seen.', 'd:numbers:', 'i:numbers.'];

/** Measures what texts leave in Redis, with all overheads. */
export async function measureStays(): Promise<Stays> {
  const redis = await startRedis();
  const world = await createRichWorld(redis.url, 1);
  const meter = await meterRedis(redis.url);
  const { client, close } = await connect(redis.url);
  const bot = await startBot(world);

  async function memory(): Promise<number> {
    await untilListed(meter);
    for (const start of LEFT_OUT) {
      for await (const key of scanKeys(client, `${LEDGER}${start}`)) await client.sendCommand(['DEL', key]);
    }
    return (await meter.read()).memory;
  }

  async function stayOf(ledger: Ledger, texts: number, send: () => Promise<void>): Promise<Stay> {
    const before = await memory();
    await send();
    const whole = (await memory()) - before;
    await forgetAll(ledger, world);
    return { whole: whole / texts, rest: ((await memory()) - before) / texts };
  }

  try {
    await createLinker(world)();
    await sendOne(world);
    await sendList(world);
    return await inScratchFolder(async (folder) => {
      const { ledger, close: closeStore } = await openBenchStore(redis.url, folder, randomBytes(32));
      await forgetAll(ledger, world);
      const repeated = (times: number, work: () => Promise<unknown>) => async () => {
        for (let done = 0; done < times; done += 1) await work();
      };
      const single = await stayOf(
        ledger,
        TEXTS,
        repeated(TEXTS, () => sendOne(world)),
      );
      const lists = repeated(LISTS, () => sendList(world));
      const recipient = await stayOf(ledger, LISTS * RECIPIENTS, lists);
      closeStore();
      return { single, recipient };
    });
  } finally {
    await bot.end();
    meter.close();
    close();
    await world.close();
    await redis.close();
  }
}

/** Deletes words and numbers, as if `RETENTION_DAYS` were over for all sends that ended. */
async function forgetAll(ledger: Ledger, world: World): Promise<void> {
  const ended = { team: world.slack.team.id, endedBefore: ledger.now(), remains };
  while ((await ledger.forgetEnded(ended)) > 0);
}
