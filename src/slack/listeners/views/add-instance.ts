import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { readKey } from '../../../core/accounts/read-key.ts';
import type { LinkFields } from '../../forms/read-link-fields.ts';
import type { FieldErrors } from '../../forms/view-values.ts';
import { FIELDS } from '../../ui/ids.ts';
import { KEY_FAULTS, keyRefusalSentence } from '../../ui/setup/key-words.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

/**
 * Tests a form's new key and saves it as an instance; `isKnown`: the workspace had this key already. Else the errors at
 * the form's fields, and nothing was saved.
 */
export async function addInstance(
  { core }: SlackDeps,
  person: Person,
  fields: Pick<LinkFields, 'name' | 'key'>,
): Promise<{ instance: InstanceView; credits: number; isKnown: boolean } | { errors: FieldErrors }> {
  const key = readKey(fields.key);
  if ('fault' in key) return { errors: { [FIELDS.apiKey]: KEY_FAULTS[key.fault] } };
  const taken = await core.instances.add({ name: fields.name, key: key.key, by: person.id });
  if (!('instance' in taken)) return { errors: { [FIELDS.apiKey]: keyRefusalSentence(taken) } };
  const { instance, credits } = taken;
  return { instance, credits, isKnown: taken.kind === 'known' };
}
