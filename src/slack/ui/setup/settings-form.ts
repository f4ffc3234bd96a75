import type { ModalView } from '@slack/types';
import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { LEAST_DAYS } from '../../../core/history/keep-days.ts';
import { button, context, section } from '../blocks.ts';
import { ACTIONS, FIELDS, SHARED_KEY, VIEWS } from '../ids.ts';
import { box, field, modal, numberInput } from '../modal.ts';
import { escaped, quoted } from '../safe-text.ts';
import { TITLES } from '../views.ts';
import { mention, plural, when } from '../words.ts';
import { settingsFields } from './link-form-fields.ts';
import { CHECK_LABEL, type RefusalFacts, refusalField, refusalSource } from './refusal-rule.ts';

/** A link's settings, and those of its instance. */
export function settingsForm(
  { link, instance }: LinkedView,
  facts: {
    refusals: RefusalFacts & { shared: boolean };
    /** The workspace's retention, in days. */
    keepDays: { now: number; most: number };
    metadata: string;
  },
): ModalView {
  const { refusals, keepDays, metadata } = facts;
  const others = { value: SHARED_KEY, text: 'Other programs use this key too' };
  return modal(VIEWS.settingsForm, { title: TITLES.settingsForm, submit: 'Save', metadata }, [
    `*Instance:* ${quoted(instance.name)}, API key ${escaped(instance.keyHint)}`,
    button(ACTIONS.replaceKey, 'Replace key'),
    context(
      `Linked by ${mention(link.linkedBy)}, ${when(link.linkedAt)}. To choose another instance, type \`/sms link\`.`,
    ),
    ...settingsFields(link),
    section(
      '*Limits:* approval, budgets and undo are in another form.',
      button(ACTIONS.openLimitsInSettings, 'Limits'),
    ),
    { type: 'divider' },
    `*For every channel of ${quoted(instance.name)}*`,
    refusalField(refusals.rule.mode),
    section(refusalSource(refusals), button(ACTIONS.openRefusalCheck, CHECK_LABEL)),
    field(FIELDS.sharedKey, 'Shared key', box(others, refusals.shared), {
      hint: 'If the balance is lower than Switchboard’s records, jobs go on with a warning. Without the tick they pause.',
      optional: true,
    }),
    field(
      FIELDS.keepDays,
      'Keep texts for (days)',
      numberInput(keepDays.now, { least: LEAST_DAYS, most: keepDays.most }),
      {
        hint:
          'In all channels of this workspace. After that, words, numbers and lists are deleted. ' +
          `Empty: ${plural(keepDays.most, 'day')}, the most that the operator allows.`,
        optional: true,
      },
    ),
    button(ACTIONS.removeInstance, 'Remove instance'),
  ]);
}

export function keepDaysError(most: number): string {
  return `Write a whole number from ${LEAST_DAYS} to ${most}.`;
}

export const SAVED = '✅ Saved.';

export const UNLINKED_MEANWHILE = 'Somebody unlinked this channel meanwhile, so nothing was changed.';
