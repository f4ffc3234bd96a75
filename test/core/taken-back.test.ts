import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createOptOuts } from '../../src/core/opt-outs/opt-outs.ts';
import { createTakenBack } from '../../src/core/taken-back.ts';
import { createCipher } from '../../src/records/encryption.ts';
import { phoneAt } from '../helpers/core-jobs.ts';
import { createCoreWorld, run } from '../helpers/core-world.ts';

const LOG = pino({ level: 'silent' });
const OUT = { to: 'out', by: 'U1', via: 'command' } as const;
const IN = { to: 'in', by: 'U1', via: 'command', reason: 'Asked us' } as const;
const TEAM = 'T1';
const [ONE, TWO, THREE] = [phoneAt(1), phoneAt(2), phoneAt(3)];

/** What a bot remembers. `servers`: what the store says at each question about its server, else that it is the same. */
function remembering() {
  const servers: (boolean | Error)[] = [];
  const lines: string[] = [];
  const takenBack = createTakenBack({
    async isOtherServer() {
      const said = servers.shift() ?? false;
      if (said instanceof Error) throw said;
      return said;
    },
    clock: { steady: () => performance.now(), sleep: async () => {} },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  return { servers, lines, takenBack };
}

test('a reconnect to the same server repeats nothing: another bot may have let it go on', async () => {
  const { takenBack } = remembering();
  let repeats = 0;
  takenBack.remember('a', async () => {
    repeats += 1;
  });
  await takenBack.repeat();
  expect(repeats).toBe(0);
});

test('a failover repeats it once, also if the store fails at first', async () => {
  const { servers, takenBack } = remembering();
  let tries = 0;
  takenBack.remember('a', async () => {
    tries += 1;
    if (tries === 1) throw new Error('no answer');
  });
  servers.push(new Error('no answer'), true);
  await takenBack.repeat();
  expect(tries).toBe(2);
  await takenBack.repeat();
  expect(tries).toBe(2);
});

test('a store that fails for long is one line of the log, however much there is to repeat', async () => {
  const { servers, lines, takenBack } = remembering();
  for (const about of ['a', 'b']) {
    let tries = 0;
    takenBack.remember(about, async () => {
      tries += 1;
      if (tries < 10) throw new Error('no answer');
    });
  }
  servers.push(true);
  await takenBack.repeat();
  expect(lines).toHaveLength(1);
});

test('what people let go on while the bot repeats the rest is not repeated', async () => {
  const { servers, takenBack } = remembering();
  let repeats = 0;
  takenBack.remember('a', async () => {
    // The store answers late. Meanwhile, somebody resumes the other list.
    takenBack.forget('b');
  });
  takenBack.remember('b', async () => {
    repeats += 1;
  });
  servers.push(true);
  await takenBack.repeat();
  expect(repeats).toBe(0);
});

/** The opt-outs of two bots at one store. */
async function twoBots() {
  const { ledger } = await run(await createCoreWorld());
  const secret = randomBytes(32);
  const aBot = () => {
    const { servers, takenBack } = remembering();
    const optOuts = createOptOuts({
      ledger,
      cipher: createCipher([secret]),
      fingerprintSecret: secret,
      fuseMs: 0,
      takenBack,
      clock: { sleep: async () => {} },
      log: LOG,
    });
    const failOver = () => {
      servers.push(true);
      return takenBack.repeat();
    };
    return { optOuts, failOver };
  };
  return { bots: [aBot(), aBot()] as const, ledger };
}

test('a bot repeats no opt-in: another bot may have opted the number out since', async () => {
  const {
    bots: [one, other],
  } = await twoBots();
  await one.optOuts.change(TEAM, [ONE], OUT);
  await one.optOuts.change(TEAM, [ONE], IN);
  await other.optOuts.change(TEAM, [ONE], OUT);
  await one.failOver();
  expect(await one.optOuts.whichAreOut(TEAM, [ONE])).toEqual([ONE]);
});

test('a bot repeats no opt-out of a number that it has opted in since', async () => {
  const {
    bots: [bot],
  } = await twoBots();
  await bot.optOuts.change(TEAM, [ONE], OUT);
  await bot.optOuts.change(TEAM, [ONE], IN);
  await bot.failOver();
  expect(await bot.optOuts.whichAreOut(TEAM, [ONE])).toEqual([]);
});

test('an opt-in of one number hides no opt-out of the others in its import', async () => {
  const {
    bots: [bot],
    ledger,
  } = await twoBots();
  await bot.optOuts.change(TEAM, [ONE, TWO, THREE], OUT);
  await bot.optOuts.change(TEAM, [ONE], IN);
  // The replica lacks the import.
  await ledger.forgetOptOuts();
  await bot.failOver();
  expect(await bot.optOuts.whichAreOut(TEAM, [TWO, THREE])).toEqual([TWO, THREE]);
});
