import type { KnownBlock, ModalView } from '@slack/types';
import type { LinkSettings } from '../../../core/accounts/links.ts';
import { ACTIONS, FIELDS, OPTIONS } from '../ids.ts';
import { checkboxes, choice, field, numberInput, peopleInput, select, textInput } from '../modal.ts';
import { present } from '../words.ts';
import { countryGroups } from './countries.ts';

const WHO_LABELS: { [who in LinkSettings['whoCanSend']]: string } = {
  everyone: 'Everyone in this channel',
  chosen: 'Chosen people',
  admins: 'Only admins',
};

export interface KeyFormFacts {
  /** The name that the admin typed for a new instance. */
  nameValue?: string | undefined;
  /** Why the form comes again, such as a refused key. Plain text. */
  notice?: string;
  /** Of the view in whose place the form comes again: the key's field then gets a fresh id. */
  hash?: string;
  metadata: string;
}

export function newInstanceFields(facts: Pick<KeyFormFacts, 'nameValue' | 'hash'>): KnownBlock[] {
  const { nameValue, hash } = facts;
  return [
    apiKeyField(hash),
    field(FIELDS.instanceName, 'Instance name', textInput({ placeholder: 'Sales', initial: nameValue }), {
      hint: 'What people see in place of the key. If you leave this empty, we use the name of the key’s account.',
      optional: true,
    }),
  ];
}

/** A channel's own settings, as the link form and the settings show them. */
export function settingsFields(settings: LinkSettings): KnownBlock[] {
  const ticked = present(settings.guests && OPTIONS.guests, settings.receiptLine && OPTIONS.receiptLine);
  return present(
    field(FIELDS.threshold, 'Low-credit threshold', numberInput(settings.threshold), {
      hint: 'This channel is warned when the credits fall below it, and again at zero. Write 0 for no warnings.',
    }),
    field(
      FIELDS.topUpUrl,
      'Top-up link',
      textInput({ placeholder: 'https://', initial: settings.topUpUrl }),
      { hint: 'Where you buy credits. Warnings show it as a button, to everyone.', optional: true },
    ),
    field(
      FIELDS.country,
      'Default country',
      select(
        { option_groups: countryGroups() },
        { placeholder: 'No default country', chosen: settings.country },
      ),
      { hint: 'Numbers without a country code are read as numbers of this country.', optional: true },
    ),
    field(FIELDS.whoCanSend, 'Who can send', choice(WHO_LABELS, settings.whoCanSend), {
      hint: 'For single texts and for lists.',
      action: ACTIONS.chooseWhoCanSend,
    }),
    settings.whoCanSend === 'chosen' && peopleField(settings.people),
    field(
      FIELDS.options,
      'In this channel',
      checkboxes(
        [
          { value: OPTIONS.guests, text: 'Guests and people of other workspaces can send too' },
          {
            value: OPTIONS.receiptLine,
            text: 'Post a summary of each text',
            description: 'Who sent it, the last four digits, the credits. Never the text.',
          },
        ],
        ticked,
      ),
      { optional: true },
    ),
  );
}

/** Optional for Slack, whose own error would not say what to do. We check the field. */
function peopleField(people: readonly string[]): KnownBlock {
  return field(FIELDS.people, 'People', peopleInput(people, 'Choose people'), {
    hint: 'Admins can always send.',
    optional: true,
  });
}

/** A form's blocks after a choice of "Who can send": with the people below it, or without. `people`: chosen before. */
export function withPeople(
  blocks: ModalView['blocks'],
  whoCanSend: LinkSettings['whoCanSend'],
  people: readonly string[] = [],
): ModalView['blocks'] {
  return blocks
    .filter((block) => block.block_id !== FIELDS.people)
    .flatMap((block) =>
      whoCanSend === 'chosen' && block.block_id === FIELDS.whoCanSend
        ? [block, peopleField(people)]
        : [block],
    );
}

/** Never prefilled: no form keeps a key. So the field gets a fresh id if its form comes again after a check. */
export function apiKeyField(hash?: string): KnownBlock {
  return field(FIELDS.apiKey, 'API key', textInput(), {
    hash,
    hint:
      'From your account settings at the messaging credit service. We test the key, store it encrypted and never show it. ' +
      'To keep it out of Slack, an operator can add it on the server (npm run admin).',
  });
}

/** What is wrong at a field of the link form or the settings: plain text. */
export const LINK_FIELD_ERRORS = {
  nameTooLong: (most: number) => `The name is too long: at most ${most} characters.`,
  nameHoldsKey:
    'This holds the API key, and everybody would see it. Give the instance a name, such as Sales.',
  noKeyFields: 'The fields for the new key come in a moment. Please fill them in, then press Link.',
  noKey: 'Paste the API key of your messaging instance.',
  threshold: 'Write a whole number of credits, such as 100. Write 0 for no warnings.',
  topUpUrl: (most: number) => `Write a link that begins with https://, of at most ${most} characters.`,
  noPeople: 'Choose at least one person, or let everyone in this channel send.',
  changed:
    'Somebody else has changed this since you opened the form. Nothing was saved. Please open it again.',
  instanceRemoved: 'This instance was removed meanwhile. Choose another one.',
  notInChannel: 'You are not in this channel. Join it first, then press Link again.',
  linkedAlready: 'This channel is linked already. Type /sms settings there to change its link.',
} as const;
