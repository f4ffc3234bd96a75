import type { ModalView } from '@slack/types';
import type { CheckStanding } from '../../core/accounts/check-steps.ts';
import type { InstanceView } from '../../core/accounts/instance-view.ts';
import {
  checkIsOver,
  checkIsRunning,
  refusalCheckForm,
  refusalCheckQuestion,
} from '../ui/setup/refusal-check-forms.ts';
import { noticeView, TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { type FormMetadata, writeMetadata } from './form-metadata.ts';

/** The form for the check's present step: another admin, or a restart, may have moved it on. */
export async function refusalCheckView(
  { core }: SlackDeps,
  instance: InstanceView,
  metadata: FormMetadata,
  notice?: string,
): Promise<ModalView> {
  const standing = await core.refusalChecks.standing(instance);
  if (standing.step === 'sending' || standing.step === 'asked') return standingView(standing, metadata);
  return refusalCheckForm({
    instanceName: instance.name,
    mostCredits: await core.refusalChecks.mostCredits(instance),
    brokenOffBy: standing.step === 'broken_off' ? standing.by : undefined,
    metadata: writeMetadata({ ...metadata, checks: standing.count }),
    notice,
  });
}

/** What to say of a check that has begun. */
export function standingView({ step, count, by, finding }: CheckStanding, metadata: FormMetadata): ModalView {
  if (step === 'asked' && finding)
    return refusalCheckQuestion(finding, writeMetadata({ ...metadata, checks: count }));
  if (step === 'over' && finding) return noticeView(TITLES.refusalCheck, checkIsOver(finding));
  return checkIsRunning(by);
}
