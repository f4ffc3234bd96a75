import type { Button, KnownBlock } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { keyTroubleOf } from '../../../core/accounts/key-trouble.ts';
import type { UnknownFacts } from '../../../core/homes/unknown-facts.ts';
import type { WorkspaceFacts } from '../../../core/homes/workspace-facts.ts';
import type { LastBalance } from '../../../core/sends/send-details.ts';
import { button, context, header, listed, type Part, section } from '../blocks.ts';
import { replaceKeyButton } from '../draft-refusals.ts';
import { ACTIONS } from '../ids.ts';
import { ruleLines, rulesOfWorkspace } from '../limits/rule-lines.ts';
import { escaped, oneLine, quoted } from '../safe-text.ts';
import { itArrivedButton, leaveItButton } from '../texts/unknown-receipt.ts';
import { capitalised, count, credits, inLines, plural, span } from '../words.ts';
import { figuresTable } from './charts.ts';
import { outcomeColumns, statementFigures } from './statement-charts.ts';
import { countedTexts, keyState, unknownInJobs, unknownLine } from './status.ts';

/** What only admins see. */
export interface AdminFacts extends Pick<WorkspaceFacts, 'rules' | 'optOuts' | 'drifts' | 'weeks'> {
  /** By name. */
  instances: readonly InstanceFacts[];
  unknown: UnknownFacts;
}

export interface InstanceFacts extends InstanceView {
  balance: LastBalance | undefined;
  /** How many channels are linked to it. */
  channels: number;
}

const MOST_INSTANCES = 20;
const MOST_DRIFTS = 5;
const MOST_WEEKS = 3;

/** First comes who else uses credits, then the rules for all channels, and instances with their keys. */
export function adminBlocks(
  { instances, rules, optOuts, drifts, weeks }: AdminFacts,
  { isLinked }: { isLinked: boolean },
): Part[] {
  return [
    ...listed('Somebody else uses credits', drifts, MOST_DRIFTS, ({ instanceName, drift }) =>
      section(
        `⚠️ *${quoted(instanceName)}* · ${credits(drift.credits)} used ${span(drift.from, drift.to)}, not by this bot`,
      ),
    ),
    isLinked && header('Rules for all channels'),
    isLinked && ruleLines(...rulesOfWorkspace(rules, optOuts)),
    ...listed('Instances and their keys', instances, MOST_INSTANCES, (one) =>
      section(instanceLine(one), instanceButton(one)),
    ),
    ...weekBlocks(weeks),
  ];
}

/** Only Home can remove an instance: the settings are those of a channel. */
function instanceButton(instance: InstanceFacts): Button {
  const { id, channels } = instance;
  if (channels === 0) return button(ACTIONS.removeInstanceAtHome, 'Remove instance', id);
  return keyTroubleOf(instance) ? replaceKeyButton(id) : button(ACTIONS.showStatement, 'Statement', id);
}

function instanceLine(instance: InstanceFacts): string {
  const { name, keyHint, balance, channels } = instance;
  const trouble = keyTroubleOf(instance);
  const left = balance ? credits(balance.credits) : 'balance not known yet';
  const linked = channels === 0 ? 'no channel' : plural(channels, 'channel');
  const key = `Key ${escaped(keyHint)} · ${keyState(instance)}`;
  return inLines(`${trouble ? '⛔' : '✅'} *${quoted(name)}* · ${left} · ${linked}`, key);
}

/** The texts that somebody must decide about, with the buttons for it. */
export function unknownBlocks(unknown: UnknownFacts): Part[] {
  const { newest, singles, inJobs, areMoreSingles, areMoreInJobs } = unknown;
  if (singles + inJobs === 0) return [];
  const more = singles - newest.length;
  const all = capitalised(countedTexts(singles + inJobs, areMoreSingles || areMoreInJobs));
  const ofJobs = unknownInJobs(unknown);
  return [
    header('Unknown texts'),
    `⚠️ *${all}* may have been sent: please decide.`,
    ...newest.flatMap((view) => [
      `<#${view.channel}> · ${unknownLine(view)}`,
      itArrivedButton(ACTIONS.itArrivedAtHome, view.id),
      leaveItButton(ACTIONS.leaveItAtHome, view.id),
    ]),
    more > 0 &&
      context(
        `and ${areMoreSingles ? 'more than ' : ''}${count(more)} older: \`/sms status\` in their channels lists them`,
      ),
    ofJobs && context(capitalised(ofJobs)),
  ];
}

/** The figures of the last week, a table for each of the first accounts: a Home takes no charts. */
function weekBlocks(weeks: AdminFacts['weeks']): KnownBlock[] {
  return weeks.slice(0, MOST_WEEKS).map(({ userName, ...week }) => {
    const title = `Credits and texts of ${oneLine(userName) || 'the account'}, last 7 days`;
    const { both } = statementFigures(week, 0);
    const series = [...both.series, ...outcomeColumns(week)];
    return { ...figuresTable({ ...both, series, title }), page_size: 10 };
  });
}
