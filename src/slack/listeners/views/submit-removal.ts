import { readMetadata } from '../../forms/form-metadata.ts';
import { ALREADY_REMOVED, instanceInUse, instanceRemoved } from '../../ui/setup/key-forms.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormResult, type ViewHandler } from './submission.ts';

const TITLE = TITLES.removeInstanceForm;

/** Forgets an instance and its key, unless channels or open sends still need it. */
export function submitRemoveInstance(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const { view } = args;
    const metadata = readMetadata(view.private_metadata);

    async function work(): Promise<FormResult> {
      const instance = await deps.core.instances.get(metadata.instance ?? '');
      if (!instance) return { view: noticeView(TITLE, ALREADY_REMOVED) };
      const removed = await deps.core.instances.remove(instance);
      const words =
        removed.kind === 'removed'
          ? instanceRemoved(instance.name)
          : instanceInUse({
              instanceName: instance.name,
              channels: removed.links.map((link) => link.channel),
              sends: removed.sends,
            });
      return { view: noticeView(TITLE, words) };
    }

    await answerAdmin(deps, args, work, { title: TITLE });
  };
}
