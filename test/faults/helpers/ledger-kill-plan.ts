import type { NewSend } from '../../../src/ledger/model/decision-types.ts';
import type { Dice } from '../../helpers/dice.ts';
import { aJob, aSingle } from '../../helpers/ledger-fixtures.ts';
import {
  asksApproval,
  type ChildPlan,
  POINTS,
  type Point,
  RECOVERY_POINTS,
  WORKERS,
} from './ledger-child.ts';

/** How a process dies: by itself, by the service during a request, or some ms after its start. */
export type Death = { self: ChildPlan['kill'] } | { atRequest: number } | { afterMs: number };

/** The plan of a run: some sends, and the deaths of its processes one after another. */
export interface KillPlan {
  sends: NewSend[];
  deaths: Death[];
}

/**
 * A plan with one to three single sends and one or two jobs. The first process dies at `at`, and some later ones die
 * too. `strikes`: how many kill points a commit has at least.
 */
export function planKills(at: (typeof POINTS)[number], dice: Dice, strikes: number): KillPlan {
  const upTo = (most: number) => 1 + Math.floor(dice() * most);
  const sends = [
    ...Array.from({ length: upTo(3) }, (_, n) => aSingle(`s${n}`, { topics: ['receipt'] })),
    ...Array.from({ length: upTo(2) }, (_, n) => {
      const sizes = Array.from({ length: upTo(5) }, () => upTo(4));
      return aJob(`j${n}`, sizes, { topics: ['card'] });
    }),
  ];
  const nth = upTo(timesAt(at, sends, strikes));
  const byService = at === 'request written' && dice() < 0.5;
  const deaths: Death[] = [byService ? { atRequest: nth } : { self: { at, nth } }];
  while (deaths.length < 3 && dice() < 0.5) deaths.push(laterDeath(dice, upTo));
  return { sends, deaths };
}

/** How often a process that does everything reaches a point, at least. */
function timesAt(at: (typeof POINTS)[number], sends: NewSend[], strikes: number): number {
  const chunks = sends.reduce((sum, send) => sum + send.chunks.length, 0);
  if (at === 'after ask') return sends.filter(asksApproval).length;
  if (at === 'at a commit of a draft') return 2 * sends.length * strikes;
  // Workers that work at once may share a commit, and a read.
  const shared = Math.ceil(chunks / WORKERS.length);
  if (at === 'at a commit') return (sends.length + 2 * shared) * strikes;
  if (at === 'at a read') return 2 * (sends.length + shared);
  const isOfRequests = /take$|request|answer|settle/.test(at);
  return isOfRequests ? chunks : sends.length;
}

function laterDeath(dice: Dice, upTo: (most: number) => number): Death {
  if (dice() < 0.2) return { afterMs: 50 + dice() * 300 };
  const points: readonly Point[] = [...POINTS, ...RECOVERY_POINTS, 'within recovery', 'within recovery'];
  const at = points[Math.floor(dice() * points.length)] as Point;
  const most = at === 'before recovery' || at === 'after recovery' ? 1 : 2;
  return { self: { at, nth: upTo(most) } };
}
