import { readLinkFields } from '../../forms/read-link-fields.ts';
import { FIELDS } from '../../ui/ids.ts';
import { addKeyForm, keyAddedNotice, keyKnownAlready } from '../../ui/setup/key-forms.ts';
import { CHECKING_KEY_VIEW, noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { addInstance } from './add-instance.ts';
import { answerAdmin, type FormResult, type ViewHandler } from './submission.ts';

const TITLE = TITLES.addKeyForm;

/** The new key is tested before it is saved. */
export function submitAddKey(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const { ack, view } = args;
    const fields = readLinkFields(view.state.values);
    if (Object.keys(fields.errors).length > 0) {
      return ack({ response_action: 'errors', errors: fields.errors });
    }

    await answerAdmin(
      deps,
      args,
      async (person): Promise<FormResult> => {
        const added = await addInstance(deps, person, fields);
        if ('errors' in added) return added;
        const { instance, credits, isKnown } = added;
        // Books the figure, so that it is shown.
        await deps.core.credit.read(instance);
        const { name: instanceName, keyHint } = instance;
        const words = isKnown
          ? keyKnownAlready(instanceName)
          : keyAddedNotice({ instanceName, keyHint, credits });
        return { view: noticeView(TITLE, words) };
      },
      {
        title: TITLE,
        word: 'link',
        waiting: CHECKING_KEY_VIEW,
        again: async (notice) =>
          addKeyForm({
            metadata: view.private_metadata,
            nameValue: fields.name,
            notice,
            keyFieldId: `${FIELDS.apiKey}_${view.hash}`,
          }),
      },
    );
  };
}
