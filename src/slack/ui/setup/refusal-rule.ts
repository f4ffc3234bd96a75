import type { KnownBlock } from '@slack/types';
import type { Finding } from '../../../core/accounts/list-refusal-seen.ts';
import { BOOKS, type RefusalRule } from '../../../core/accounts/list-refusals.ts';
import { button, section } from '../blocks.ts';
import { ACTIONS, FIELDS, SHARED_KEY } from '../ids.ts';
import { box, field, optionsOf, radios } from '../modal.ts';
import { quoted } from '../safe-text.ts';
import { inLines, mention, when } from '../words.ts';
import { RULES, seenInWords } from './refusal-words.ts';

/** How an instance's provider refuses lists, as far as we know. `lastCheck` may have proved nothing. */
export interface RefusalFacts {
  rule: RefusalRule;
  lastCheck?: Finding | undefined;
}

export const CHECK_LABEL = 'How does my provider refuse?';

/** Which rule holds for refused lists, who set it, and what they saw. */
export function refusalRuleLine({ rule, lastCheck }: RefusalFacts, label = 'Refused lists'): string {
  const what =
    rule.mode === 'atomic'
      ? 'the provider sends nothing of a list that it refuses'
      : 'the provider may send a part of a list that it refuses';
  const unchecked = rule.by === undefined && !lastCheck ? ' · not checked yet' : '';
  return inLines(
    `*${label}:* ${what}${unchecked}${sourceOf(rule)}`,
    // The rule names its own check. A later check that proved nothing did not change the rule.
    lastCheck && lastCheck.at !== rule.check?.at && `Last check by ${inWords(lastCheck)}.`,
  );
}

function sourceOf({ by, at, check }: RefusalRule): string {
  if (by === undefined || at === undefined) return '';
  if (by === BOOKS) return `\nChanged by the bot ${when(at)}, because credits were missing.`;
  return check ? `\nChecked by ${inWords(check)}.` : `\nSet by ${mention(by)}, ${when(at)}.`;
}

function inWords(finding: Finding): string {
  return `${mention(finding.by)}, ${when(finding.at)}: ${seenInWords(finding)}`;
}

export function refusalField(chosen: RefusalRule['mode']): KnownBlock {
  return field(FIELDS.refusals, 'Refused lists', radios(optionsOf(RULES), chosen));
}

/** An instance's settings for all its channels: the rule for refused lists, and whether others use its key. */
export function refusalFields(
  instanceName: string,
  { shared, ...facts }: RefusalFacts & { shared: boolean },
): KnownBlock[] {
  const others = { value: SHARED_KEY, text: 'Other programs use this key too' };
  return [
    { type: 'divider' },
    section(`*For every channel of ${quoted(instanceName)}*`),
    refusalField(facts.rule.mode),
    section(refusalRuleLine(facts, 'Now'), button(ACTIONS.openRefusalCheck, CHECK_LABEL)),
    field(FIELDS.sharedKey, 'Shared key', box(others, shared), {
      hint: 'If the balance is lower than Switchboard’s records, jobs go on with a warning. Without the tick they pause.',
      optional: true,
    }),
  ];
}
