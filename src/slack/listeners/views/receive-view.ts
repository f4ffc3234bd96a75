import type { App, ViewSubmitAction } from '@slack/bolt';
import type { Logger } from 'pino';
import { apologyView } from '../../answers/apology.ts';
import { VIEWS } from '../../ui/ids.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { depsAt } from '../../workspaces/deps-at.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { type FormHandler, readSubmission } from './submission.ts';
import { submitApproval, submitDecline } from './submit-approval.ts';
import { submitBulk } from './submit-bulk.ts';
import { submitHistoryFilter } from './submit-history-filter.ts';
import { submitAddKey, submitRemoveInstance, submitReplaceKey } from './submit-instance.ts';
import { submitLimits } from './submit-limits.ts';
import { submitLink } from './submit-link.ts';
import { submitOptIn, submitOptOut } from './submit-opt-out.ts';
import { submitOptOutImport } from './submit-opt-out-import.ts';
import { submitArrival, submitRefusalCheck, submitRefusalRule } from './submit-refusal-check.ts';
import { submitSend } from './submit-send.ts';
import { submitSettings } from './submit-settings.ts';
import { submitStatementDates } from './submit-statement-dates.ts';

type FormId = Exclude<(typeof VIEWS)[keyof typeof VIEWS], typeof VIEWS.notice>;

const FORMS: Record<FormId, FormHandler> = {
  [VIEWS.sendForm]: submitSend,
  [VIEWS.bulkForm]: submitBulk,
  [VIEWS.linkForm]: submitLink,
  [VIEWS.settingsForm]: submitSettings,
  [VIEWS.limitsForm]: submitLimits,
  [VIEWS.addKeyForm]: submitAddKey,
  [VIEWS.replaceKeyForm]: submitReplaceKey,
  [VIEWS.removeInstanceForm]: submitRemoveInstance,
  [VIEWS.refusalCheckForm]: submitRefusalCheck,
  [VIEWS.refusalCheckQuestion]: submitArrival,
  [VIEWS.refusalCheckDecision]: submitRefusalRule,
  [VIEWS.historyFilterForm]: submitHistoryFilter,
  [VIEWS.approvalForm]: submitApproval,
  [VIEWS.declineForm]: submitDecline,
  [VIEWS.statementDates]: submitStatementDates,
  [VIEWS.optInForm]: submitOptIn,
  [VIEWS.optOutForm]: submitOptOut,
  [VIEWS.optOutImport]: submitOptOutImport,
};

/** One listener for all, as for actions; what nobody knows is acked too. */
export function receiveViews(app: App, workspaces: Workspaces, log: Logger): void {
  const handlers = new Map(Object.entries(FORMS));
  app.view<ViewSubmitAction>(/.*/, async (args) => {
    const { callback_id: form } = args.view;
    const handler = handlers.get(form);
    if (!handler) {
      await args.ack();
      log.info({ view: form }, 'an unknown form was submitted');
      return;
    }
    let own: SlackDeps;
    try {
      own = await depsAt(workspaces, args.body);
    } catch (error) {
      const view = apologyView(workspaces.outside, error, TITLES.sorry);
      return args.ack({ response_action: 'update', view });
    }
    own.log.info({ form }, 'a form was submitted');
    await handler(own, readSubmission(args));
  });
}
