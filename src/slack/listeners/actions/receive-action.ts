import type { App, BlockAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Logger } from 'pino';
import { once } from '../../requests/slack-request.ts';
import { ACTIONS, type ActionId } from '../../ui/ids.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { type ClickHandler, inView, onClick, type ViewClickHandler } from './action.ts';
import * as approval from './approval.ts';
import * as balance from './balance.ts';
import * as bulkDraft from './bulk-draft.ts';
import * as confirmSend from './confirm-send.ts';
import * as unknown from './decide-unknown.ts';
import * as history from './history.ts';
import * as instance from './instance.ts';
import * as job from './job.ts';
import * as jobAgain from './job-again.ts';
import * as optOuts from './opt-outs.ts';
import * as setup from './setup.ts';
import * as statement from './statement.ts';
import * as textDraft from './text-draft.ts';
import * as undo from './undo.ts';

/** Buttons of messages that decide a draft for sending, by action id: the decision itself marks the click as seen. */
const DECISIONS = {
  [ACTIONS.confirmSend]: confirmSend.confirmSend,
  [ACTIONS.sendAnyway]: confirmSend.sendAnyway,
  [ACTIONS.confirmBulk]: bulkDraft.confirmBulk,
} satisfies { [id in ActionId]?: ClickHandler };

/** Elements inside views, by action id: they change the view rather than answer in a channel. */
const CLICKS_IN_VIEWS = {
  [ACTIONS.chooseInstance]: instance.chooseInstance,
  [ACTIONS.chooseWhoCanSend]: instance.chooseWhoCanSend,
  [ACTIONS.replaceKey]: instance.openKeyForm,
  [ACTIONS.removeInstance]: instance.openRemoveForm,
  [ACTIONS.openRefusalCheck]: instance.openCheckForm,
  [ACTIONS.openLimitsInSettings]: setup.openLimitsOverSettings,
} satisfies { [id in ActionId]?: ViewClickHandler };

type OtherId = Exclude<
  ActionId,
  keyof typeof DECISIONS | keyof typeof CLICKS_IN_VIEWS | typeof ACTIONS.topUp
>;

/** All other buttons of messages, each with its handler. */
const CLICKS: Record<OtherId, ClickHandler> = {
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
  [ACTIONS.writeBulk]: bulkDraft.writeBulk,
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
  [ACTIONS.showWords]: job.showWords,
  [ACTIONS.resendUnknown]: jobAgain.resendUnknown,
  [ACTIONS.theyArrived]: jobAgain.theyArrived,
  [ACTIONS.leaveThem]: jobAgain.leaveThem,
  [ACTIONS.tryRejected]: jobAgain.tryRejected,
  [ACTIONS.checkRefusals]: instance.checkRefusals,
  [ACTIONS.historyOlder]: history.turnPage,
  [ACTIONS.historyNewer]: history.turnPage,
  [ACTIONS.historyAll]: history.turnPage,
  [ACTIONS.historyFilter]: history.openFilter,
  [ACTIONS.historyExport]: history.clickExport,
  [ACTIONS.historyDetails]: history.openDetails,
  [ACTIONS.showBalance]: balance.clickBalance,
  [ACTIONS.shareBalance]: balance.shareBalance,
  [ACTIONS.showStatement]: statement.showStatement,
  [ACTIONS.chooseStatementAccount]: statement.chooseStatement,
  [ACTIONS.chooseStatementDays]: statement.chooseStatement,
  [ACTIONS.showOutcomes]: statement.showOutcomes,
  [ACTIONS.exportStatement]: statement.exportStatement,
  [ACTIONS.linkChannel]: setup.clickLink,
  [ACTIONS.linkSomeChannel]: setup.linkSomeChannel,
  [ACTIONS.addKey]: instance.addKey,
  [ACTIONS.openSettings]: setup.clickSettings,
  [ACTIONS.replaceRefusedKey]: instance.replaceRefusedKey,
  [ACTIONS.openLimits]: setup.clickLimits,
  [ACTIONS.confirmUnlink]: setup.confirmUnlink,
  [ACTIONS.stopAndUnlink]: setup.stopAndUnlink,
  [ACTIONS.unlinkWhenDone]: setup.unlinkWhenDone,
  [ACTIONS.keepLink]: setup.keepLink,
  [ACTIONS.importOptOuts]: optOuts.importOptOuts,
  [ACTIONS.exportOptOuts]: optOuts.exportOptOuts,
};

type ActionListener = Middleware<SlackActionMiddlewareArgs<BlockAction>>;

/**
 * One listener for all: Bolt runs the chain of each listener for every request that comes, and asks each whether it is
 * meant. What nobody knows, such as a button of an older version, is acked too: else Slack shows an error after three
 * seconds.
 */
export function receiveActions(app: App, workspaces: Workspaces, log: Logger): void {
  const listeners = new Map<string, ActionListener>();
  for (const [actionId, handler] of Object.entries(DECISIONS)) {
    listeners.set(actionId, onClick(workspaces, handler) as ActionListener);
  }
  for (const [actionId, handler] of Object.entries(CLICKS)) {
    listeners.set(actionId, onClick(workspaces, once(handler)) as ActionListener);
  }
  for (const [actionId, handler] of Object.entries(CLICKS_IN_VIEWS)) {
    listeners.set(actionId, inView(workspaces, handler));
  }
  listeners.set(ACTIONS.topUp, ({ ack }) => ack());
  app.action<BlockAction>({ type: 'block_actions', action_id: /.*/ }, async (args) => {
    const { action_id: action } = args.action;
    const listener = listeners.get(action);
    if (listener) return listener(args);
    await args.ack();
    log.info({ action }, 'an unknown button was pressed');
  });
}
