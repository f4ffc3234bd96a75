import type { App, BlockAction } from '@slack/bolt';
import { openBulkForm } from '../forms/open-sending-form.ts';
import { once } from '../requests/slack-request.ts';
import { UNKNOWN_BUTTON } from '../ui/apologies.ts';
import { ACTIONS, type ActionId } from '../ui/ids.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { type ClickHandler, inView, onClick, type ViewClickHandler } from './click.ts';
import { forAdmins } from './guards.ts';
import * as approval from './limits/approvals.ts';
import * as limits from './limits/limits.ts';
import * as optOuts from './limits/opt-out-files.ts';
import * as undo from './limits/undo.ts';
import * as bulkDraft from './lists/bulk-draft.ts';
import * as job from './lists/job.ts';
import * as outcomes from './lists/job-outcomes.ts';
import * as balance from './reports/balance.ts';
import * as history from './reports/history.ts';
import { openFilter } from './reports/history-filter.ts';
import * as statement from './reports/statement.ts';
import * as keys from './setup/keys.ts';
import * as link from './setup/link.ts';
import * as refusalCheck from './setup/refusal-check.ts';
import { openSettings } from './setup/settings.ts';
import * as unlink from './setup/unlink.ts';
import * as unknown from './texts/decide-unknown.ts';
import * as textDraft from './texts/text-draft.ts';

/** Buttons that decide a draft for sending: the decision's own commit marks the click as seen. */
const DECISIONS: readonly string[] = [ACTIONS.confirmSend, ACTIONS.sendAnyway, ACTIONS.confirmBulk];

/** Elements inside views, by action id: they change the view rather than answer in a channel. */
const CLICKS_IN_VIEWS = {
  [ACTIONS.chooseInstance]: link.chooseInstance,
  [ACTIONS.chooseWhoCanSend]: link.chooseWhoCanSend,
  [ACTIONS.replaceKey]: keys.keyForm.onSettings,
  [ACTIONS.removeInstance]: keys.removeForm.onSettings,
  [ACTIONS.openRefusalCheck]: refusalCheck.checkForm.onSettings,
  [ACTIONS.openLimitsInSettings]: limits.openLimitsOverSettings,
} satisfies { [id in ActionId]?: ViewClickHandler };

/** Buttons of messages, each with its handler. */
const CLICKS: Record<Exclude<ActionId, keyof typeof CLICKS_IN_VIEWS | typeof ACTIONS.topUp>, ClickHandler> = {
  [ACTIONS.confirmSend]: textDraft.confirmSend,
  [ACTIONS.sendAnyway]: textDraft.confirmSend,
  [ACTIONS.confirmBulk]: bulkDraft.confirmBulk,
  [ACTIONS.editDraft]: textDraft.editDraft,
  [ACTIONS.cancelDraft]: textDraft.cancelDraft,
  [ACTIONS.undoSend]: undo.undoSend,
  [ACTIONS.undoJob]: undo.undoJob,
  [ACTIONS.reopenDraft]: textDraft.reopenDraft,
  [ACTIONS.writeText]: textDraft.writeText,
  [ACTIONS.sendAgain]: textDraft.sendAgain,
  [ACTIONS.sendDetails]: history.openSendDetails,
  [ACTIONS.itArrived]: unknown.itArrived,
  [ACTIONS.itArrivedInList]: unknown.itArrivedInList,
  [ACTIONS.itArrivedAtHome]: unknown.itArrivedAtHome,
  [ACTIONS.leaveItInList]: unknown.leaveItInList,
  [ACTIONS.leaveItAtHome]: unknown.leaveItAtHome,
  [ACTIONS.writeBulk]: openBulkForm,
  [ACTIONS.editBulk]: bulkDraft.editBulk,
  [ACTIONS.cancelBulk]: bulkDraft.cancelBulk,
  [ACTIONS.reopenBulk]: bulkDraft.reopenBulk,
  [ACTIONS.checkBulk]: bulkDraft.checkBulk,
  [ACTIONS.askApproval]: approval.askApproval,
  [ACTIONS.askException]: approval.askException,
  [ACTIONS.approveRequest]: approval.approve,
  [ACTIONS.declineRequest]: approval.openDecline,
  [ACTIONS.withdrawRequest]: approval.withdraw,
  [ACTIONS.readRequest]: approval.readRequest,
  [ACTIONS.includeRepeats]: bulkDraft.includeRepeats,
  [ACTIONS.leaveOutRepeats]: bulkDraft.checkBulk,
  [ACTIONS.pauseJob]: job.pauseJob,
  [ACTIONS.resumeJob]: job.resumeJob,
  [ACTIONS.continueOneByOne]: job.continueOneByOne,
  [ACTIONS.approveRest]: job.approveRest,
  [ACTIONS.stopJob]: job.stopJob,
  [ACTIONS.showWords]: outcomes.showWords,
  [ACTIONS.resendUnknown]: outcomes.resendUnknown,
  [ACTIONS.theyArrived]: outcomes.theyArrived,
  [ACTIONS.leaveThem]: outcomes.leaveThem,
  [ACTIONS.tryRejected]: outcomes.tryRejected,
  [ACTIONS.checkRefusals]: forAdmins('check refusals', refusalCheck.checkForm.byButton),
  [ACTIONS.historyOlder]: history.turnPage,
  [ACTIONS.historyNewer]: history.turnPage,
  [ACTIONS.historyAll]: history.turnPage,
  [ACTIONS.historyFilter]: openFilter,
  [ACTIONS.historyExport]: history.clickExport,
  [ACTIONS.historyDetails]: history.openDetails,
  [ACTIONS.showBalance]: balance.clickBalance,
  [ACTIONS.shareBalance]: balance.shareBalance,
  [ACTIONS.showStatement]: forAdmins('statement', statement.showStatement),
  [ACTIONS.chooseStatementAccount]: forAdmins('statement', statement.chooseStatement),
  [ACTIONS.chooseStatementDays]: forAdmins('statement', statement.chooseStatement),
  [ACTIONS.showOutcomes]: forAdmins('statement', statement.showOutcomes),
  [ACTIONS.exportStatement]: forAdmins('statement', statement.exportStatement),
  [ACTIONS.linkChannel]: forAdmins('link', link.openLinkForm),
  [ACTIONS.linkSomeChannel]: forAdmins('link', link.openLinkForm),
  [ACTIONS.addKey]: forAdmins('link', keys.addKey),
  [ACTIONS.openSettings]: forAdmins('settings', openSettings),
  [ACTIONS.replaceRefusedKey]: forAdmins('change keys', keys.keyForm.byButton),
  [ACTIONS.removeInstanceAtHome]: forAdmins('change keys', keys.removeForm.byButton),
  [ACTIONS.openLimits]: forAdmins('limits', limits.openLimits),
  [ACTIONS.confirmUnlink]: unlink.confirmUnlink,
  [ACTIONS.stopAndUnlink]: unlink.stopAndUnlink,
  [ACTIONS.unlinkWhenDone]: unlink.unlinkWhenDone,
  [ACTIONS.keepLink]: unlink.keepLink,
  [ACTIONS.importOptOuts]: optOuts.importOptOuts,
  [ACTIONS.exportOptOuts]: forAdmins('optouts', optOuts.exportOptOuts),
};

const unknownButton: ClickHandler = (_deps, { answer }) => answer(UNKNOWN_BUTTON);

/**
 * Registers one listener for all buttons: Bolt runs the chain of each listener for every request. The listener acks
 * unknown buttons too, such as those of an older version. Otherwise Slack shows an error after three seconds.
 */
export function receiveClicks(app: App, workspaces: Workspaces): void {
  const clicks = new Map(Object.entries(CLICKS));
  const clicksInViews = new Map<string, ViewClickHandler>(Object.entries(CLICKS_IN_VIEWS));
  app.action<BlockAction>({ type: 'block_actions', action_id: /.*/ }, async (args) => {
    await args.ack();
    const { action_id: name } = args.action;
    const click = clicks.get(name);
    if (click) return onClick(workspaces, args, DECISIONS.includes(name) ? click : once(click));
    const inItsView = clicksInViews.get(name);
    if (inItsView) return inView(workspaces, args.body, inItsView);
    if (name === ACTIONS.topUp) return;
    workspaces.outside.log.info({ action: name }, 'an unknown button was pressed');
    // Whoever submits a form of another version reads so there.
    if (args.body.view?.type !== 'modal') await onClick(workspaces, args, once(unknownButton));
  });
}
