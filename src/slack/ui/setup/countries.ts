import { countryName } from '../../../core/texts/phone-format.ts';
import { phoneLibrary } from '../../../core/texts/phone-library.ts';
import { plain } from '../blocks.ts';
import { NO_COUNTRY } from '../ids.ts';
import { type OptionGroups, option } from '../modal.ts';

/** Slack takes at most 100 options a group. Each of these groups of first letters has far fewer. */
const GROUPS = ['AB', 'CD', 'EFG', 'HIJK', 'LMN', 'OPQR', 'STU', 'VWXYZ'];

/** Every country whose numbers we can read, by name. "None" comes first, since nobody can clear a chosen option in Slack. */
export function countryGroups(): OptionGroups {
  known ??= listCountries();
  return known;
}

/** Made at the first use: the names of all countries take a while to load. */
let known: OptionGroups | undefined;

function listCountries(): OptionGroups {
  const countries = phoneLibrary()
    .getCountries()
    .map((code) => ({ code, name: countryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const named = GROUPS.map((letters) => ({
    label: plain(`${letters.at(0)} – ${letters.at(-1)}`),
    options: countries
      // Åland is listed under A.
      .filter(({ name }) => letters.includes(name.normalize('NFD').charAt(0).toUpperCase()))
      .map(({ code, name }) => option(code, name, ` (${code})`)),
  }));
  const none = { label: plain('None'), options: [option(NO_COUNTRY, 'No default country')] };
  return [none, ...named];
}
