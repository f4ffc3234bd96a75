import type { Logger } from 'pino';
import type { OpenStore } from '../../data/data.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { HashNumber } from '../../ledger/look-up/number-leaf.ts';
import { DAY_MS } from '../../ledger/model/days.ts';
import type { Clock } from '../clock.ts';
import { ERASURE, oweScrub, scrubbedAtOf } from './erasure.ts';
import type { KeepDays, RetentionLimits } from './keep-days.ts';
import { remains } from './remains.ts';

/** Unknown messages that nobody decides, and budgets that are over, are kept this long at most. */
const A_YEAR_MS = 365 * DAY_MS;
/** We delete entries of the look-up up to a week late. So one write of a leaf deletes a week of them. */
const LEAF_SLACK_MS = 7 * DAY_MS;
/** We delete named states a day after their messages. A new one counts from 1: its messages must not meet old ones. */
const STATE_SLACK_MS = DAY_MS;
/** A pause after each step, in ms, so that other work gets the store first. */
const PAUSE_MS = 5;

/** A bot that began to scrub longer ago than this, in ms, has died. */
const SCRUB_TAKES_MS = 600_000;

export type Retention = ReturnType<typeof createRetention>;

/** Deletes old data in short steps, so that nobody waits, then scrubs the store's files: two rounds of `background.ts`. */
export function createRetention(deps: {
  ledger: Ledger;
  hashOf: HashNumber;
  keepDays: KeepDays;
  limits: RetentionLimits;
  repeatGuardMs: number;
  scrub: OpenStore['scrub'];
  clock: Clock;
  log: Logger;
}) {
  const { ledger, hashOf, keepDays, limits, repeatGuardMs, scrub, clock, log } = deps;

  /** Repeats a step until it does nothing. Returns how much they did in all. */
  async function repeated(signal: AbortSignal, step: () => Promise<number | boolean>): Promise<number> {
    let done = 0;
    while (!signal.aborted) {
      const more = Number(await step());
      if (more === 0) break;
      done += more;
      await clock.sleep(PAUSE_MS, signal);
    }
    return done;
  }

  /** Lists settled messages in the look-up by number. */
  async function list(signal: AbortSignal): Promise<void> {
    await repeated(signal, () => ledger.listNumbers(hashOf));
  }

  async function forgetWords(signal: AbortSignal): Promise<number> {
    const now = ledger.now();
    let done = 0;
    let next = await ledger.nextKept();
    while (next && !signal.aborted) {
      const { team, endedAt } = next;
      const endedBefore = now - (await keepDays.of(team)) * DAY_MS;
      if (endedAt <= endedBefore) {
        // Before anything is deleted: if this bot dies then, the next one scrubs.
        await oweScrub(ledger);
        done += await repeated(signal, () => ledger.forgetEnded({ team, endedBefore, remains }));
      }
      next = await ledger.nextKept(team);
    }
    return done + (await repeated(signal, () => ledger.forgetUndecided(now - A_YEAR_MS, remains)));
  }

  /** Damaged sends go as a whole, after the configured days. While a claim holds, the repeat guard must see its send. */
  async function deleteDamaged(signal: AbortSignal): Promise<number> {
    const endedBefore = ledger.now() - Math.max(limits.days * DAY_MS, repeatGuardMs);
    let done = await repeated(signal, () => ledger.deleteDamaged(endedBefore));
    for (const team of await ledger.teamsInLookUp()) {
      done += await repeated(signal, () => ledger.deleteDamaged(endedBefore, team));
    }
    return done;
  }

  async function deleteRest(signal: AbortSignal): Promise<number> {
    const now = ledger.now();
    const listedBefore = now - limits.lookupDays * DAY_MS;
    const keptBefore = now - limits.days * DAY_MS;
    await repeated(signal, () => ledger.deleteOldEntries(listedBefore, listedBefore - LEAF_SLACK_MS));
    const optIns = await repeated(signal, () => ledger.deleteOver('optIns', listedBefore));
    // A send's dates and credits outlive its words, never the other way round.
    // Dates and credits outlive its claims, too: the repeat guard asks what became of the send.
    const goneBefore = Math.min(listedBefore, keptBefore, now - repeatGuardMs);
    const sends = await repeated(signal, () => ledger.deleteForgotten(goneBefore));
    const budgets = await repeated(signal, () => ledger.deleteOver('budgets', now - A_YEAR_MS));
    const states = await repeated(signal, () => ledger.deleteOver('states', keptBefore - STATE_SLACK_MS));
    const rows = await repeated(signal, () => ledger.deleteOver('rows', keptBefore));
    return optIns + sends + budgets + states + rows + (await deleteDamaged(signal));
  }

  /** One bot scrubs for all, as often as the store wants. Scrubs again if more was deleted meanwhile, or if that bot died. */
  async function scrubIfOwed(deleted: boolean, signal: AbortSignal): Promise<void> {
    if (deleted) await oweScrub(ledger);
    const before = await ledger.namedState(ERASURE);
    const state = before?.state;
    const scrubbedAt = scrubbedAtOf(before);
    const now = ledger.now();
    // A time that lies ahead is of a clock that was set back since.
    const isDead = state === 'running' && Math.abs(now - (before?.movedAt ?? 0)) > SCRUB_TAKES_MS;
    if ((state !== 'owed' && !isDead) || Math.abs(now - scrubbedAt) < scrub.everyMs) return;
    if (!(await ledger.changeState(ERASURE, { from: state, to: 'running', details: { scrubbedAt } }))) return;
    const to = (await scrub.run(signal)) ? 'done' : 'owed';
    // A run that failed counts, too: the next one may cost the store as much.
    await ledger.changeState(ERASURE, { from: 'running', to, details: { scrubbedAt: now } });
  }

  return {
    list,
    /** Deletes old data, and scrubs the files if that is due. */
    async forget(signal: AbortSignal): Promise<void> {
      await list(signal);
      const words = await forgetWords(signal);
      const rest = await deleteRest(signal);
      if (words + rest > 0) log.info({ words, rest }, 'old texts and their traces are deleted');
      await scrubIfOwed(words + rest > 0, signal);
    },
  };
}
