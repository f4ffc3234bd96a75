import { expect, test } from 'vitest';
import { HOME_EVERY_MS, HOME_OPEN_MS } from '../../src/ledger/homes/homes.ts';
import { type OpenLedger, startRig } from '../helpers/ledger-fixtures.ts';

const ANA = { team: 'T1', user: 'UANA' };
const BEN = { team: 'T1', user: 'UBEN' };
const SHOWN = { digest: 'd1', hash: 'h1' };

/** Which Homes people look at, and when. */
export function homesContract(open: OpenLedger): void {
  test('no Home is due at first, and an opened one only after ten seconds', async () => {
    const { ledger, clock } = await startRig(open);
    expect(await ledger.takeDueHomes()).toEqual([]);
    await ledger.openHome(ANA);
    clock.advance(HOME_EVERY_MS - 1);
    expect((await ledger.pendingWork()).isHomeDue).toBe(false);
    expect(await ledger.takeDueHomes()).toEqual([]);
    clock.advance(1);
    expect((await ledger.pendingWork()).isHomeDue).toBe(true);
    expect(await ledger.takeDueHomes()).toEqual([ANA]);
  });

  test('each due Home goes to one caller, and is due again ten seconds later', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const other = await reopen();
    await ledger.openHome(ANA);
    await ledger.openHome(BEN);
    clock.advance(HOME_EVERY_MS);
    const taken = await Promise.all([ledger.takeDueHomes(), other.takeDueHomes()]);
    expect(taken.flat().sort((one, next) => one.user.localeCompare(next.user))).toEqual([ANA, BEN]);
    expect((await ledger.pendingWork()).isHomeDue).toBe(false);
    clock.advance(HOME_EVERY_MS);
    expect(await other.takeDueHomes()).toHaveLength(2);
  });

  test('what a Home shows is kept until it is opened again, or until nobody knows', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.openHome(ANA);
    clock.advance(4000);
    await ledger.noteHome(ANA, SHOWN);
    clock.advance(HOME_EVERY_MS - 1);
    // The bot published the Home four seconds after its person opened it.
    expect(await ledger.takeDueHomes()).toEqual([]);
    clock.advance(1);
    expect(await ledger.takeDueHomes()).toEqual([{ ...ANA, shown: SHOWN }]);
    await ledger.noteHome(ANA, undefined);
    clock.advance(HOME_EVERY_MS);
    expect(await ledger.takeDueHomes()).toEqual([ANA]);
    await ledger.noteHome(ANA, SHOWN);
    await ledger.openHome(ANA);
    clock.advance(HOME_EVERY_MS);
    expect(await ledger.takeDueHomes()).toEqual([ANA]);
  });

  test('is forgotten an hour after it was opened last, and when somebody says so', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.openHome(ANA);
    await ledger.openHome(BEN);
    await ledger.forgetHome(BEN);
    clock.advance(HOME_OPEN_MS - 1);
    expect(await ledger.takeDueHomes()).toEqual([ANA]);
    clock.advance(HOME_EVERY_MS);
    expect(await ledger.takeDueHomes()).toEqual([]);
    await ledger.noteHome(ANA, SHOWN);
    clock.advance(HOME_OPEN_MS);
    expect((await ledger.pendingWork()).isHomeDue).toBe(false);
  });
}
