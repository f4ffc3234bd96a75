/** Every id that travels to Slack and back, named once. No value holds an API key. Only a prefill holds a text. */

export const COMMAND = '/sms';

/** Slack's shortcuts, as the manifests name them: two from anywhere, three on a message. */
export const SHORTCUTS = {
  writeText: 'write_text',
  textList: 'text_list',
  textMessage: 'text_this_message',
  textMessageList: 'text_this_list',
  stopTexting: 'stop_texting',
} as const;

/** Buttons and other elements that act at once. Many of their values are a send's id; see the files that build them. */
export const ACTIONS = {
  confirmSend: 'confirm_send',
  /** Replaces Send if the same words went to the number. Value: the draft's id, `/`, the id of the earlier send. */
  sendAnyway: 'send_anyway',
  editDraft: 'edit_draft',
  cancelDraft: 'cancel_draft',
  undoSend: 'undo_send',
  undoJob: 'undo_job',
  reopenDraft: 'reopen_draft',
  /** Opens the send form; value: JSON prefill, or empty. */
  writeText: 'write_text',
  /** Drafts an unknown text again. */
  sendAgain: 'send_again',
  /** **Details** and **Why?** of a receipt: all that we keep of the text. */
  sendDetails: 'send_details',
  /** On a receipt, in the list of `/sms status`, and on Home. */
  itArrived: 'it_arrived',
  itArrivedInList: 'it_arrived_in_list',
  itArrivedAtHome: 'it_arrived_at_home',
  leaveItInList: 'leave_it_in_list',
  leaveItAtHome: 'leave_it_at_home',
  writeBulk: 'write_bulk',
  confirmBulk: 'confirm_bulk',
  editBulk: 'edit_bulk',
  cancelBulk: 'cancel_bulk',
  reopenBulk: 'reopen_bulk',
  /** Shows the preview with people who already got the same words, or without them. */
  includeRepeats: 'include_repeats',
  leaveOutRepeats: 'leave_out_repeats',
  /** Checks credits and budgets again, and shows the new preview. */
  checkBulk: 'check_bulk',
  /** Asks a second person for approval, or for an exception from a budget. */
  askApproval: 'ask_approval',
  askException: 'ask_exception',
  approveRequest: 'approve_request',
  declineRequest: 'decline_request',
  withdrawRequest: 'withdraw_request',
  readRequest: 'read_request',
  pauseJob: 'pause_job',
  resumeJob: 'resume_job',
  continueOneByOne: 'continue_one_by_one',
  /** Approves the extra cost of a job, and resumes the job; value: see resume-value.ts. */
  approveRest: 'approve_rest',
  stopJob: 'stop_job',
  resendUnknown: 'resend_unknown',
  /** Value: see job-unknown.ts. */
  theyArrived: 'they_arrived',
  leaveThem: 'leave_them',
  tryRejected: 'try_rejected',
  /** Opens the check of refused lists from a message; value: the instance's id. */
  checkRefusals: 'check_refusals',
  /** Shows the service's words, which may quote a number, to the requester only. */
  showWords: 'show_words',
  showBalance: 'show_balance',
  shareBalance: 'share_balance',
  /** Shows the statement of an instance's account; value: the instance's id. */
  showStatement: 'show_statement',
  /** Menus of a statement, and its file; value: the instance's id, then the first and the last day. */
  chooseStatementAccount: 'choose_statement_account',
  chooseStatementDays: 'choose_statement_days',
  showOutcomes: 'show_outcomes',
  exportStatement: 'export_statement',
  linkChannel: 'link_channel',
  /** Pages of the history; value: see history-state.ts. */
  historyOlder: 'history_older',
  historyNewer: 'history_newer',
  historyAll: 'history_all',
  historyFilter: 'history_filter',
  historyExport: 'history_export',
  historyDetails: 'history_details',
  /** Opens the link form, which then asks for the channel. */
  linkSomeChannel: 'link_some_channel',
  addKey: 'add_key',
  /** Opens the settings; value: the channel's id, or empty for the channel of the click. */
  openSettings: 'open_settings',
  importOptOuts: 'import_opt_outs',
  exportOptOuts: 'export_opt_outs',
  /** Opens the form for another key from a message; value: the instance's id. */
  replaceRefusedKey: 'replace_refused_key',
  /** Opens the limits from a message (value: the channel's id), or on top of the settings form. */
  openLimits: 'open_limits',
  openLimitsInSettings: 'open_limits_in_settings',
  /** A link: Slack opens the top-up page itself. We only acknowledge the click. */
  topUp: 'top_up',
  confirmUnlink: 'confirm_unlink',
  stopAndUnlink: 'stop_and_unlink',
  unlinkWhenDone: 'unlink_when_done',
  keepLink: 'keep_link',
  replaceKey: 'replace_key',
  removeInstance: 'remove_instance',
  /** The same on Home; value: the instance's id. */
  removeInstanceAtHome: 'remove_instance_at_home',
  openRefusalCheck: 'open_refusal_check',
  /** The instance select of the link form: shows or hides the key's fields. */
  chooseInstance: 'choose_instance',
  /** The "Who can send" select: shows or hides the people. */
  chooseWhoCanSend: 'choose_who_can_send',
} as const;
export type ActionId = (typeof ACTIONS)[keyof typeof ACTIONS];

export const VIEWS = {
  sendForm: 'send_form',
  bulkForm: 'bulk_form',
  linkForm: 'link_form',
  settingsForm: 'settings_form',
  limitsForm: 'limits_form',
  addKeyForm: 'add_key_form',
  replaceKeyForm: 'replace_key_form',
  removeInstanceForm: 'remove_instance_form',
  /** The check of refused lists, in three steps: its start, whether the text arrived, and the choice of the rule. */
  refusalCheckForm: 'refusal_check_form',
  refusalCheckQuestion: 'refusal_check_question',
  refusalCheckDecision: 'refusal_check_decision',
  historyFilterForm: 'history_filter_form',
  optOutForm: 'opt_out_form',
  optInForm: 'opt_in_form',
  optOutImport: 'opt_out_import',
  approvalForm: 'approval_form',
  statementDates: 'statement_dates',
  /** A view that only shows words, without a submit button. */
  notice: 'notice',
} as const;

/** Block ids of a view's fields. The element has the same id, unless `field` gets `action` or `hash`. */
export const FIELDS = {
  recipient: 'recipient',
  message: 'message',
  recipients: 'recipients',
  csvFile: 'csv_file',
  phoneColumn: 'phone_column',
  channel: 'channel',
  instance: 'instance',
  instanceName: 'instance_name',
  apiKey: 'api_key',
  threshold: 'threshold',
  keepDays: 'keep_days',
  topUpUrl: 'top_up_url',
  country: 'country',
  whoCanSend: 'who_can_send',
  people: 'people',
  options: 'options',
  acceptAccount: 'accept_account',
  ownPhone: 'own_phone',
  arrived: 'arrived',
  refusals: 'refusals',
  sharedKey: 'shared_key',
  person: 'person',
  number: 'number',
  outcome: 'outcome',
  fromDay: 'from_day',
  toDay: 'to_day',
  decision: 'decision',
  reason: 'reason',
  approvalAbove: 'approval_above',
  approvers: 'approvers',
  approvalsIn: 'approvals_in',
  ownApproval: 'own_approval',
  monthlyBudget: 'monthly_budget',
  dailyPerPerson: 'daily_per_person',
  largestList: 'largest_list',
  undoSeconds: 'undo_seconds',
  listUndoSeconds: 'list_undo_seconds',
  timeZone: 'time_zone',
  optOutText: 'opt_out_text',
  whoMayOptOut: 'who_may_opt_out',
} as const;

/** The instance select's value for a new instance. */
export const NEW_INSTANCE = 'new';
/** The country select's value for no country: nobody can clear a chosen option in Slack. */
export const NO_COUNTRY = 'none';
/** Values of a select and of a checkbox in the limits form. */
export const WHO_MAY_OPT_OUT = ['everyone', 'admins'] as const;
export const OWN_APPROVAL = 'own_approval';
export const OPTIONS = { guests: 'guests', receiptLine: 'receipt_line' } as const;
/** What a person can do with a request for approval, as its form lists it. */
export const REQUEST_DECISIONS = ['approve', 'decline', 'withdraw'] as const;
export type RequestDecision = (typeof REQUEST_DECISIONS)[number];
/** Value of the box that says that other programs use the key. */
export const SHARED_KEY = 'shared_key';
