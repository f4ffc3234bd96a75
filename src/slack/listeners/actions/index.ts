import type { App, BlockAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { Logger } from 'pino';
import { once } from '../../requests/slack-request.ts';
import { ACTIONS } from '../../ui/ids.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { type ClickHandler, inView, onClick, type ViewClickHandler } from './action.ts';
import { approve, askApproval, askException, openDecline, readRequest, withdraw } from './approval.ts';
import { clickBalance, shareBalance } from './balance.ts';
import {
  cancelBulk,
  checkBulk,
  confirmBulk,
  editBulk,
  includeRepeats,
  reopenBulk,
  writeBulk,
} from './bulk-draft.ts';
import { confirmSend, sendAnyway } from './confirm-send.ts';
import {
  itArrived,
  itArrivedAtHome,
  itArrivedInList,
  leaveItAtHome,
  leaveItInList,
} from './decide-unknown.ts';
import { clickExport, openDetails, openFilter, openSendDetails, turnPage } from './history.ts';
import {
  addKey,
  checkRefusals,
  chooseInstance,
  chooseWhoCanSend,
  openCheckForm,
  openKeyForm,
  openRemoveForm,
  replaceRefusedKey,
} from './instance.ts';
import { approveRest, continueOneByOne, pauseJob, resumeJob, showWords, stopJob } from './job.ts';
import { leaveThem, resendUnknown, theyArrived, tryRejected } from './job-again.ts';
import { exportOptOuts, importOptOuts } from './opt-outs.ts';
import {
  clickLimits,
  clickLink,
  clickSettings,
  confirmUnlink,
  keepLink,
  linkSomeChannel,
  openLimitsOverSettings,
  stopAndUnlink,
  unlinkWhenDone,
} from './setup.ts';
import { chooseStatement, exportStatement, showOutcomes, showStatement } from './statement.ts';
import { cancelDraft, editDraft, reopenDraft, sendAgain, writeText } from './text-draft.ts';
import { undoJob, undoSend } from './undo.ts';

/** Buttons of messages that decide a draft for sending, by action id: the decision itself marks the click as seen. */
const DECISIONS: { [actionId: string]: ClickHandler } = {
  [ACTIONS.confirmSend]: confirmSend,
  [ACTIONS.sendAnyway]: sendAnyway,
  [ACTIONS.confirmBulk]: confirmBulk,
};

/** The other buttons of messages. */
const CLICKS: { [actionId: string]: ClickHandler } = {
  [ACTIONS.editDraft]: editDraft,
  [ACTIONS.cancelDraft]: cancelDraft,
  [ACTIONS.undoSend]: undoSend,
  [ACTIONS.undoJob]: undoJob,
  [ACTIONS.reopenDraft]: reopenDraft,
  [ACTIONS.writeText]: writeText,
  [ACTIONS.sendAgain]: sendAgain,
  [ACTIONS.sendDetails]: openSendDetails,
  [ACTIONS.itArrived]: itArrived,
  [ACTIONS.itArrivedInList]: itArrivedInList,
  [ACTIONS.itArrivedAtHome]: itArrivedAtHome,
  [ACTIONS.leaveItInList]: leaveItInList,
  [ACTIONS.leaveItAtHome]: leaveItAtHome,
  [ACTIONS.writeBulk]: writeBulk,
  [ACTIONS.editBulk]: editBulk,
  [ACTIONS.cancelBulk]: cancelBulk,
  [ACTIONS.reopenBulk]: reopenBulk,
  [ACTIONS.checkBulk]: checkBulk,
  [ACTIONS.askApproval]: askApproval,
  [ACTIONS.askException]: askException,
  [ACTIONS.approveRequest]: approve,
  [ACTIONS.declineRequest]: openDecline,
  [ACTIONS.withdrawRequest]: withdraw,
  [ACTIONS.readRequest]: readRequest,
  [ACTIONS.includeRepeats]: includeRepeats,
  [ACTIONS.leaveOutRepeats]: checkBulk,
  [ACTIONS.pauseJob]: pauseJob,
  [ACTIONS.resumeJob]: resumeJob,
  [ACTIONS.continueOneByOne]: continueOneByOne,
  [ACTIONS.approveRest]: approveRest,
  [ACTIONS.stopJob]: stopJob,
  [ACTIONS.showWords]: showWords,
  [ACTIONS.resendUnknown]: resendUnknown,
  [ACTIONS.theyArrived]: theyArrived,
  [ACTIONS.leaveThem]: leaveThem,
  [ACTIONS.tryRejected]: tryRejected,
  [ACTIONS.checkRefusals]: checkRefusals,
  [ACTIONS.historyOlder]: turnPage,
  [ACTIONS.historyNewer]: turnPage,
  [ACTIONS.historyAll]: turnPage,
  [ACTIONS.historyFilter]: openFilter,
  [ACTIONS.historyExport]: clickExport,
  [ACTIONS.historyDetails]: openDetails,
  [ACTIONS.showBalance]: clickBalance,
  [ACTIONS.shareBalance]: shareBalance,
  [ACTIONS.showStatement]: showStatement,
  [ACTIONS.chooseStatementAccount]: chooseStatement,
  [ACTIONS.chooseStatementDays]: chooseStatement,
  [ACTIONS.showOutcomes]: showOutcomes,
  [ACTIONS.exportStatement]: exportStatement,
  [ACTIONS.linkChannel]: clickLink,
  [ACTIONS.linkSomeChannel]: linkSomeChannel,
  [ACTIONS.addKey]: addKey,
  [ACTIONS.openSettings]: clickSettings,
  [ACTIONS.replaceRefusedKey]: replaceRefusedKey,
  [ACTIONS.openLimits]: clickLimits,
  [ACTIONS.confirmUnlink]: confirmUnlink,
  [ACTIONS.stopAndUnlink]: stopAndUnlink,
  [ACTIONS.unlinkWhenDone]: unlinkWhenDone,
  [ACTIONS.keepLink]: keepLink,
  [ACTIONS.importOptOuts]: importOptOuts,
  [ACTIONS.exportOptOuts]: exportOptOuts,
};

/** Elements inside views, by action id: they change the view rather than answer in a channel. */
const CLICKS_IN_VIEWS: { [actionId: string]: ViewClickHandler } = {
  [ACTIONS.chooseInstance]: chooseInstance,
  [ACTIONS.chooseWhoCanSend]: chooseWhoCanSend,
  [ACTIONS.replaceKey]: openKeyForm,
  [ACTIONS.removeInstance]: openRemoveForm,
  [ACTIONS.openRefusalCheck]: openCheckForm,
  [ACTIONS.openLimitsInSettings]: openLimitsOverSettings,
};

type ActionListener = Middleware<SlackActionMiddlewareArgs<BlockAction>>;

/**
 * One listener for all: Bolt runs the chain of each listener for every request that comes, and asks each whether it is
 * meant. What nobody knows, such as a button of an older version, is acked too: else Slack shows an error after three
 * seconds.
 */
export function registerActions(app: App, workspaces: Workspaces, log: Logger): void {
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
