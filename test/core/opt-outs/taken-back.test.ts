import { expect, test } from 'vitest';
import { createOptOuts } from '../../../src/core/opt-outs/opt-outs.ts';
import { createTakenBack } from '../../../src/core/taken-back.ts';
import { boot, createCoreWorld } from '../../helpers/core-world.ts';

const [PHONE, OTHER] = ['447700900123', '447700900124'];

/** Two bots on the same store. `reconnect`: the store has failed over. */
async function twoBots() {
  const booted = await boot(await createCoreWorld());
  const { ledger, tap, cipher, fingerprintSecret, time, log } = booted;
  const { clock } = time;
  const aBot = () => {
    const takenBack = createTakenBack({ isOtherServer: async () => true, clock, log });
    const optOuts = createOptOuts({ ledger, cipher, fingerprintSecret, fuseMs: 0, takenBack, clock, log });
    const set = async (to: 'out' | 'in', ...phones: string[]) => {
      time.advance(1000);
      return optOuts.change('T1', phones, { to, by: 'U1', via: 'command' });
    };
    return { optOuts, set, reconnect: takenBack.repeat };
  };
  return { first: aBot(), second: aBot(), ledger, tap, time };
}

test('a number that somebody opts in after many were opted out stays so after a reconnect', async () => {
  const { first, second } = await twoBots();
  await first.set('out', OTHER, PHONE);
  await second.set('in', PHONE);
  await first.reconnect();
  expect(await first.optOuts.whichAreOut('T1', [OTHER, PHONE])).toEqual([OTHER]);
});

test('opt-outs that the store has forgotten are made again', async () => {
  const { first, second, ledger } = await twoBots();
  await second.set('out', OTHER);
  await second.set('in', OTHER);
  await first.set('out', OTHER, PHONE);
  await ledger.forgetOptOuts();
  await first.reconnect();
  expect(await first.optOuts.whichAreOut('T1', [OTHER, PHONE])).toEqual([OTHER, PHONE]);
});

test('an opt-out that is written just after another bot’s opt-in is made again', async () => {
  const { first, second, tap, time } = await twoBots();
  await second.set('out', PHONE);
  tap.intercept('changeOptOuts', (real) => async (request) => {
    if (request.unlessChangedSince !== undefined) return real(request);
    time.advance(1);
    await real({ ...request, to: 'in' });
    time.advance(1);
    // The replica lacks the opt-out that follows.
    return 1;
  });
  await first.set('out', PHONE);
  await first.reconnect();
  expect(await first.optOuts.whichAreOut('T1', [PHONE])).toEqual([PHONE]);
});
