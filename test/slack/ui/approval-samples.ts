import { NO_LIMITS } from '../../../src/core/accounts/limits.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import type { ApprovalRequest } from '../../../src/core/approvals/approvals.ts';
import { aJob } from './bulk-samples.ts';
import { AT, aSend } from './samples.ts';

const ASKED: ApprovalRequest['approval'] = { askedBy: 'UANA', askedAt: AT, topic: 'approval' };

const LINKED: NonNullable<ApprovalRequest['linked']> = {
  link: {
    ...DEFAULT_SETTINGS,
    team: 'T1',
    channel: 'C1',
    instanceId: 'acme',
    linkedBy: 'UADMIN',
    linkedAt: AT,
    limits: { ...NO_LIMITS, approvalAbove: 500 },
  },
  instance: {
    team: 'T1',
    id: 'acme',
    name: 'Acme',
    keyHint: '…a1b2',
    accountId: 'a1',
    userId: 1,
    userName: 'Acme Ltd',
    addedBy: 'UADMIN',
    addedAt: AT,
    keyChangedAt: AT,
    lastGoodCheckAt: AT,
  },
};

/** @ana's request for a text; `approval` says what came of it. */
export function textRequest(
  fields: Parameters<typeof aSend>[0] = {},
  approval: Partial<ApprovalRequest['approval']> = {},
): ApprovalRequest {
  const asked = { ...ASKED, ...approval };
  const view = aSend({ state: 'awaiting_approval', expiresAt: AT + 86_400_000, approval: asked, ...fields });
  return { kind: 'single', view, approval: asked, linked: LINKED, balance: { credits: 999, at: AT } };
}

/** The same for a list. */
export function listRequest(
  fields: Parameters<typeof aJob>[0] = {},
  approval: Partial<ApprovalRequest['approval']> = {},
  details: Parameters<typeof aJob>[2] = {},
): ApprovalRequest {
  const asked = { ...ASKED, ...approval };
  const view = aJob(
    { state: 'awaiting_approval', expiresAt: AT + 86_400_000, approval: asked, ...fields },
    {},
    details,
  );
  return { kind: 'job', view, approval: asked, linked: LINKED, balance: { credits: 10_000, at: AT } };
}
