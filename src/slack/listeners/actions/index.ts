import type { App, BlockAction } from '@slack/bolt';
import { ACTIONS } from '../../ids.ts';
import type { Workspaces } from '../../workspaces.ts';
import { type ClickHandler, onClick } from './action.ts';
import { clickBalance, shareBalance } from './balance.ts';
import { cancelBulk, checkBulk, confirmBulk, editBulk, writeBulk } from './bulk-draft.ts';
import { cancelDraft } from './cancel-draft.ts';
import { confirmSend } from './confirm-send.ts';
import { editDraft } from './edit-draft.ts';
import { chooseInstance, inView, openKeyForm, openRemoveForm, type ViewClickHandler } from './instance.ts';
import { pauseJob, resumeJob, showWords, stopJob } from './job.ts';
import { resendUnknown, tryRejected } from './job-again.ts';
import { clickLink, clickSettings, confirmUnlink, keepLink, stopAndUnlink, unlinkWhenDone } from './link.ts';
import { sendAgain } from './send-again.ts';
import { writeText } from './write-text.ts';

/** Buttons of messages, by action id. */
const CLICKS: { [actionId: string]: ClickHandler } = {
  [ACTIONS.confirmSend]: confirmSend,
  [ACTIONS.editDraft]: editDraft,
  [ACTIONS.cancelDraft]: cancelDraft,
  [ACTIONS.writeText]: writeText,
  [ACTIONS.sendAgain]: sendAgain,
  [ACTIONS.writeBulk]: writeBulk,
  [ACTIONS.confirmBulk]: confirmBulk,
  [ACTIONS.editBulk]: editBulk,
  [ACTIONS.cancelBulk]: cancelBulk,
  [ACTIONS.checkBulk]: checkBulk,
  [ACTIONS.pauseJob]: pauseJob,
  [ACTIONS.resumeJob]: resumeJob,
  [ACTIONS.stopJob]: stopJob,
  [ACTIONS.showWords]: showWords,
  [ACTIONS.resendUnknown]: resendUnknown,
  [ACTIONS.tryRejected]: tryRejected,
  [ACTIONS.showBalance]: clickBalance,
  [ACTIONS.shareBalance]: shareBalance,
  [ACTIONS.linkChannel]: clickLink,
  [ACTIONS.openSettings]: clickSettings,
  [ACTIONS.confirmUnlink]: confirmUnlink,
  [ACTIONS.stopAndUnlink]: stopAndUnlink,
  [ACTIONS.unlinkWhenDone]: unlinkWhenDone,
  [ACTIONS.keepLink]: keepLink,
};

/** Elements inside views, by action id: they change the view rather than answer in a channel. */
const CLICKS_IN_VIEWS: { [actionId: string]: ViewClickHandler } = {
  [ACTIONS.chooseInstance]: chooseInstance,
  [ACTIONS.replaceKey]: openKeyForm,
  [ACTIONS.removeInstance]: openRemoveForm,
};

export function registerActions(app: App, workspaces: Workspaces): void {
  for (const [actionId, handler] of Object.entries(CLICKS)) {
    app.action({ type: 'block_actions', action_id: actionId }, onClick(workspaces, handler) as never);
  }
  for (const [actionId, handler] of Object.entries(CLICKS_IN_VIEWS)) {
    app.action<BlockAction>({ type: 'block_actions', action_id: actionId }, inView(workspaces, handler));
  }
}
