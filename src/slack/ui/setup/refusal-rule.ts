import type { KnownBlock } from '@slack/types';
import type { Finding } from '../../../core/accounts/list-refusal-seen.ts';
import { BOOKS, type RefusalRule } from '../../../core/accounts/list-refusals.ts';
import { FIELDS } from '../ids.ts';
import { field, optionsOf, radios } from '../modal.ts';
import { inLines, mention, when } from '../words.ts';
import { RULES, seenInWords } from './refusal-words.ts';

/** How an instance's provider refuses lists, as far as we know. `lastCheck` may have proved nothing. */
export interface RefusalFacts {
  rule: RefusalRule;
  lastCheck?: Finding | undefined;
}

export const CHECK_LABEL = 'How does my provider refuse?';

/** Which rule holds for refused lists, who set it, and what they saw. */
export function refusalRuleLine(facts: RefusalFacts): string {
  const what =
    facts.rule.mode === 'atomic'
      ? 'the provider sends nothing of a list that it refuses'
      : 'the provider may send a part of a list that it refuses';
  return `*Refused lists:* ${what}\n${refusalSource(facts)}`;
}

/** Who set the rule, and what they saw. */
export function refusalSource({ rule, lastCheck }: RefusalFacts): string {
  const lines = inLines(
    sourceOf(rule),
    // The rule names its own check. A later check that proved nothing did not change the rule.
    lastCheck && lastCheck.at !== rule.check?.at && `Last check by ${inWords(lastCheck)}.`,
  );
  return lines || 'Not checked yet.';
}

function sourceOf({ by, at, check }: RefusalRule): string | undefined {
  if (by === undefined || at === undefined) return undefined;
  if (by === BOOKS) return `Changed by the bot ${when(at)}, because credits were missing.`;
  return check ? `Checked by ${inWords(check)}.` : `Set by ${mention(by)}, ${when(at)}.`;
}

function inWords(finding: Finding): string {
  return `${mention(finding.by)}, ${when(finding.at)}: ${seenInWords(finding)}`;
}

export function refusalField(chosen: RefusalRule['mode']): KnownBlock {
  return field(FIELDS.refusals, 'Refused lists', radios(optionsOf(RULES), chosen));
}
