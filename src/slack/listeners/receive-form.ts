import type { App, ViewSubmitAction } from '@slack/bolt';
import { apologise } from '../answers/apology.ts';
import { UNKNOWN_FORM } from '../ui/apologies.ts';
import { VIEWS } from '../ui/ids.ts';
import { noticeView, TITLES } from '../ui/views.ts';
import { depsAt, type Workspaces } from '../workspaces/workspaces.ts';
import { submitApproval } from './limits/approvals.ts';
import { submitLimits } from './limits/limits.ts';
import { submitOptOutImport } from './limits/opt-out-files.ts';
import { submitOptIn, submitOptOut } from './limits/opt-outs.ts';
import { submitBulk } from './lists/bulk.ts';
import { submitHistoryFilter } from './reports/history-filter.ts';
import { submitStatementDates } from './reports/statement.ts';
import { submitAddKey, submitRemoveInstance, submitReplaceKey } from './setup/keys.ts';
import { submitLink } from './setup/link.ts';
import { submitArrival, submitRefusalCheck, submitRefusalRule } from './setup/refusal-check.ts';
import { submitSettings } from './setup/settings.ts';
import { type FormHandler, readSubmission } from './submission.ts';
import { submitSend } from './texts/send.ts';

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
  [VIEWS.statementDates]: submitStatementDates,
  [VIEWS.optInForm]: submitOptIn,
  [VIEWS.optOutForm]: submitOptOut,
  [VIEWS.optOutImport]: submitOptOutImport,
};

/** Registers one listener for every form. For a form of another version, it says that nothing was done. */
export function receiveForms(app: App, workspaces: Workspaces): void {
  const handlers = new Map(Object.entries(FORMS));
  app.view<ViewSubmitAction>(/.*/, async (args) => {
    const { callback_id: form } = args.view;
    const handler = handlers.get(form);
    const showNotice = async (text: string) =>
      args.ack({ response_action: 'update', view: noticeView(TITLES.sorry, text) });
    if (!handler) {
      await showNotice(UNKNOWN_FORM.text);
      workspaces.outside.log.info({ form }, 'an unknown form was submitted');
      return;
    }
    const deps = await depsAt(workspaces, args.body).catch((error: unknown) =>
      apologise(workspaces.outside, error, ({ text }) => showNotice(text)),
    );
    if (!deps) return;
    deps.log.info({ form }, 'a form was submitted');
    await handler(deps, readSubmission(args));
  });
}
