import { type AllSettings, DEFAULT_SETTINGS, LinkSettings } from '../../core/accounts/links.ts';
import { REFUSAL_MODES, type RefusalMode } from '../../core/accounts/list-refusals.ts';
import { holdsKey } from '../../core/accounts/read-key.ts';
import { LEAST_DAYS } from '../../core/history/keep-days.ts';
import { isCountry } from '../../core/texts/phone.ts';
import { FIELDS, NEW_INSTANCE, NO_COUNTRY, OPTIONS } from '../ui/ids.ts';
import { MOST_CREDITS } from '../ui/limits/limits-form.ts';
import { LINK_FIELD_ERRORS } from '../ui/setup/link-form-fields.ts';
import { keepDaysError } from '../ui/setup/settings-form.ts';
import {
  chosenIn,
  chosenOf,
  type FieldErrors,
  fieldOf,
  typedIn,
  type ViewValues,
  wholeNumberIn,
} from './form-data.ts';

const MOST_NAME = 60;
const MOST_URL = 500;

export type LinkFields = ReturnType<typeof readLinkFields>;

/**
 * Reads the link form, or the settings. `errors` by block, in words for the person. `lacks`: a choice needs fields that
 * the form does not have, since the bot has not heard of the choice yet, or could not change the form.
 */
export function readLinkFields(values: ViewValues) {
  const errors: FieldErrors = {};
  const chosen = chosenIn(values, FIELDS.instance);
  const isNew = chosen === undefined || chosen === NEW_INSTANCE;
  const name = typedIn(values, FIELDS.instanceName);
  const key = fieldOf(values, FIELDS.apiKey)?.value ?? '';
  const lacksKey = chosen === NEW_INSTANCE && !(FIELDS.apiKey in values);
  if (lacksKey) errors[FIELDS.instance] = LINK_FIELD_ERRORS.noKeyFields;
  if (isNew && FIELDS.instanceName in values) {
    if (name.length > MOST_NAME) errors[FIELDS.instanceName] = LINK_FIELD_ERRORS.nameTooLong(MOST_NAME);
    if (holdsKey(name, key)) errors[FIELDS.instanceName] = LINK_FIELD_ERRORS.nameHoldsKey;
    if (key.trim() === '') errors[FIELDS.apiKey] = LINK_FIELD_ERRORS.noKey;
  }

  const threshold = wholeNumberIn(values, FIELDS.threshold) ?? 0;
  if (!(threshold <= MOST_CREDITS)) errors[FIELDS.threshold] = LINK_FIELD_ERRORS.threshold;

  const link = typedIn(values, FIELDS.topUpUrl);
  const topUpUrl = httpsUrl(link);
  if (link !== '' && topUpUrl === undefined) errors[FIELDS.topUpUrl] = LINK_FIELD_ERRORS.topUpUrl(MOST_URL);

  const country = chosenIn(values, FIELDS.country) ?? NO_COUNTRY;

  const { options: allowed } = LinkSettings.shape.whoCanSend;
  const whoCanSend = chosenOf(values, FIELDS.whoCanSend, allowed) ?? DEFAULT_SETTINGS.whoCanSend;
  const people = fieldOf(values, FIELDS.people)?.selected_users ?? [];
  const lacksPeople = whoCanSend === 'chosen' && !(FIELDS.people in values);
  if (whoCanSend === 'chosen' && people.length === 0) {
    errors[lacksPeople ? FIELDS.whoCanSend : FIELDS.people] = LINK_FIELD_ERRORS.noPeople;
  }
  const options = (fieldOf(values, FIELDS.options)?.selected_options ?? []).map((option) => option.value);

  const settings: AllSettings = {
    threshold: Number.isFinite(threshold) ? threshold : 0,
    whoCanSend,
    people,
    guests: options.includes(OPTIONS.guests),
    receiptLine: options.includes(OPTIONS.receiptLine),
    country: isCountry(country) ? country : undefined,
    topUpUrl,
  };
  // No instance: a new one. An empty name: the account's own. The key is as typed: `readKey` makes an `ApiKey` of it.
  const lacks = lacksKey ? ('key' as const) : lacksPeople && ('people' as const);
  return { instance: isNew ? undefined : chosen, name, key, settings, errors, lacks };
}

/** The chosen rule for refused lists, and whether other programs use the key. */
export function readRefusalFields(values: ViewValues): { refusals?: RefusalMode; shared: boolean } {
  const refusals = chosenOf(values, FIELDS.refusals, REFUSAL_MODES);
  const ticked = fieldOf(values, FIELDS.sharedKey)?.selected_options ?? [];
  return { ...(refusals && { refusals }), shared: ticked.length > 0 };
}

/** The typed days, or `most` if the field is empty; `errors` by block, in words for the person. */
export function readKeepDays(values: ViewValues, most: number): { days: number; errors: FieldErrors } {
  const days = wholeNumberIn(values, FIELDS.keepDays) ?? most;
  const isRight = days >= LEAST_DAYS && days <= most;
  return { days, errors: isRight ? {} : { [FIELDS.keepDays]: keepDaysError(most) } };
}

/** A web address as browsers write it. Takes none with a name or password: it may show another site than it opens. */
function httpsUrl(typed: string): string | undefined {
  if (!URL.canParse(typed)) return undefined;
  const { protocol, username, password, href } = new URL(typed);
  const isPlain = protocol === 'https:' && username === '' && password === '';
  return isPlain && href.length <= MOST_URL ? href : undefined;
}
