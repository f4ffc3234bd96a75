import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { countryOf } from '../../../core/accounts/links.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { Begun } from '../../../core/accounts/refusal-check.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { type FormMetadata, readMetadata } from '../../forms/form-metadata.ts';
import { refusalCheckView, standingView } from '../../forms/refusal-check-view.ts';
import { fieldOf, type ViewValues } from '../../forms/view-values.ts';
import type { Message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import { INSTANCE_REMOVED } from '../../ui/setup/key-forms.ts';
import {
  CHECK_BROKE,
  checkNotBegunMessage,
  checkResultMessage,
  NO_OWN_NUMBER,
} from '../../ui/setup/refusal-check-forms.ts';
import { notNowInWords } from '../../ui/setup/refusal-words.ts';
import { numberSentence } from '../../ui/texts/number-problems.ts';
import { CHECKING_REFUSALS_VIEW, noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormResult, type ViewHandler } from './submission.ts';

const TITLE = TITLES.refusalCheck;

/** **Start the check**: sends the two texts, once, and asks what arrived. */
export function submitRefusalCheck(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const { body, view } = args;
    const metadata = readMetadata(view.private_metadata);
    const find = () => deps.core.instances.get(metadata.instance ?? '');
    /** What the person reads if they closed the form meanwhile. */
    let inPrivate: Message | undefined = CHECK_BROKE;

    async function work(person: Person): Promise<FormResult> {
      const instance = await find();
      if (!instance) return { view: noticeView(TITLE, INSTANCE_REMOVED) };
      const own = await readOwnPhone(deps, metadata, view.state.values);
      if ('error' in own) return { errors: { [FIELDS.ownPhone]: own.error } };
      const begun = await deps.core.refusalChecks.begin(instance, {
        count: metadata.checks ?? 0,
        phone: own.digits,
        by: person.id,
      });
      inPrivate = messageOf(begun, instance);
      if ('standing' in begun) return { view: standingView(begun.standing, metadata) };
      return { view: await refusalCheckView(deps, instance, metadata, notNowInWords(begun)) };
    }

    await answerAdmin(deps, args, work, {
      title: TITLE,
      waiting: CHECKING_REFUSALS_VIEW,
      again: async (notice) => {
        const instance = await find();
        return instance ? refusalCheckView(deps, instance, metadata, notice) : noticeView(TITLE, notice);
      },
      async whenClosed() {
        if (inPrivate) await deps.replies.direct(body.user.id, inPrivate);
      },
    });
  };
}

async function readOwnPhone(
  { core }: SlackDeps,
  { channel }: FormMetadata,
  values: ViewValues,
): Promise<{ digits: string } | { error: string }> {
  const linked = channel === undefined ? undefined : await core.links.find(channel);
  const read = readNumber(fieldOf(values, FIELDS.ownPhone)?.value ?? '', countryOf(linked?.link));
  if (read.kind === 'problem') return { error: numberSentence(read) };
  return read.kind === 'ambiguous' ? { error: NO_OWN_NUMBER } : read;
}

/** Says nothing if the check had begun already: the click that began it reports. */
function messageOf(begun: Begun, { name, id }: InstanceView): Message | undefined {
  if (begun.kind === 'not_first') return undefined;
  if (begun.kind !== 'done') return checkNotBegunMessage(begun);
  const { finding, step } = begun.standing;
  return finding && checkResultMessage({ instanceName: name, instanceId: id }, finding, step === 'asked');
}
