import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { SendApproval } from '../../ledger/model/approval-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import { rowAbout } from '../../ledger/outbox/announce.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import { type LinkedView, viewOfLinked } from '../accounts/instance-view.ts';
import type { Links } from '../accounts/links.ts';
import { isOwnRequest, namedApprovers } from '../accounts/permissions.ts';
import type { JobView } from '../jobs/job-view.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Requests } from '../sends/approval-requests.ts';
import type { LastBalance } from '../sends/send-details.ts';
import type { SendView } from '../sends/send-view.ts';
import type { Sends } from '../sends/sends.ts';

type TextOrList = { kind: 'single'; view: SendView } | { kind: 'job'; view: JobView };
type AnyView = TextOrList['view'];

/** A text or a list for which somebody asked for approval, perhaps decided already. */
export type ApprovalRequest = TextOrList & {
  approval: SendApproval;
  /** Missing if its channel is not linked any more. */
  linked?: LinkedView;
  /** The last known balance of the account that pays. */
  balance?: LastBalance;
};

export type Approvals = ReturnType<typeof createApprovals>;

/** What to announce so that the card of a request is drawn again. */
export function requestCardOf(
  { id, team }: Pick<AnyView, 'id' | 'team'>,
  { topic }: SendApproval,
): Announcement {
  return rowAbout(id, topic, { team });
}

/** Approval by a second person, of texts and lists alike. */
export function createApprovals(deps: {
  ledger: Pick<Ledger, 'awaitingApproval'>;
  links: Pick<Links, 'find'>;
  credit: Pick<Credit, 'known'>;
  sends: Pick<Sends, 'view' | 'requests'>;
  jobs: Pick<Jobs, 'view' | 'requests'>;
  /** Slack user ids of configured admins. */
  admins: readonly string[];
}) {
  const { ledger, links, sends, jobs } = deps;

  async function find(id: string): Promise<TextOrList | undefined> {
    const job = await jobs.view(id);
    if (job) return { kind: 'job', view: job };
    const text = await sends.view(id);
    return text && { kind: 'single', view: text };
  }

  async function requestsOf(id: string): Promise<Requests<SendView> | Requests<JobView>> {
    return (await jobs.view(id)) ? jobs.requests : sends.requests;
  }

  /** The request; undefined if nobody ever asked for this send. */
  async function view(id: string): Promise<ApprovalRequest | undefined> {
    const found = await find(id);
    if (!found?.view.approval) return undefined;
    const { team, channel, approval } = found.view;
    const linked = await links.find(team, channel);
    const balance = linked && (await deps.credit.known(linked.instance));
    return {
      ...found,
      approval,
      ...defined({ linked: linked && viewOfLinked(linked), balance }),
    };
  }

  const requests: Requests<AnyView> = {
    ask: async (id, ...asked) => (await requestsOf(id)).ask(id, ...asked),
    approve: async (id, ...asked) => (await requestsOf(id)).approve(id, ...asked),
    decline: async (id, ...asked) => (await requestsOf(id)).decline(id, ...asked),
    sendBack: async (id, reason) => (await requestsOf(id)).sendBack(id, reason),
  };

  return {
    ...requests,
    view,

    /** The requests of a workspace that nobody has decided, oldest first. */
    async waiting(team: string): Promise<ApprovalRequest[]> {
      const records = await ledger.awaitingApproval(team);
      const found = await Promise.all(records.map(({ id }) => view(id)));
      return found.filter((request) => request !== undefined);
    },

    /**
     * Who gets the request directly: the approvers, or the known admins if nobody is chosen. The person who asked gets it
     * only if the channel lets people approve their own requests.
     */
    readers({ approval, linked }: ApprovalRequest): string[] {
      if (!linked) return [];
      const limits = limitsOf(linked.link);
      const named = namedApprovers(limits, approval.why);
      const people = named.length === 0 ? [linked.link.linkedBy, ...deps.admins] : named;
      return [...new Set(people)].filter((each) => !isOwnRequest(approval.askedBy, each, limits.ownApproval));
    },
  };
}
