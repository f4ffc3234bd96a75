import { expect, test } from 'vitest';
import { createOptOuts } from '../../../src/core/opt-outs/opt-outs.ts';
import { createTakenBack } from '../../../src/core/taken-back.ts';
import { boot, createCoreWorld } from '../../helpers/core-world.ts';

const [PHONE, OTHER] = ['447700900123', '447700900124'];

/** Two bots on the same store. `reconnect`: the store has failed over. */
async function twoBots() {
  const booted = await boot(await createCoreWorld());
  const { ledger, cipher, fingerprintSecret, time, log } = booted;
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
  return { first: aBot(), second: aBot(), ledger };
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
