import type { App } from '@slack/bolt';
import type { Removals } from '../../core/workspaces/removals.ts';

/** What these events say around themselves: docs.slack.dev/apis/events-api. */
interface Envelope {
  team_id?: string | undefined;
  enterprise_id?: string | null | undefined;
  event_time: number;
  is_enterprise_install?: boolean | undefined;
  authorizations?:
    | { enterprise_id?: string | null | undefined; is_enterprise_install?: boolean | undefined }[]
    | undefined;
}

/**
 * Slack says that the bot was taken away: docs.slack.dev/reference/events/app_uninstalled and tokens_revoked. The two
 * come together, in any order, and more than once; either is enough. An organisation may also take single workspaces
 * from its installation: team_access_revoked.
 */
export function registerRemovals(app: App, removals: Pick<Removals, 'begin' | 'beginOf'>): void {
  app.event('app_uninstalled', ({ body }) => told(body));
  app.event('tokens_revoked', async ({ event, body }) => {
    // Tokens that stand for a person are none of the bot's.
    if ((event.tokens.bot ?? []).length > 0) await told(body);
  });
  app.event('team_access_revoked', async ({ event, body }) => {
    const enterprise = enterpriseOf(body);
    if (enterprise) await removals.beginOf(enterprise, event.team_ids, toldAt(body));
  });

  async function told(envelope: Envelope): Promise<void> {
    const { team_id, is_enterprise_install, authorizations } = envelope;
    const isOrgWide = [{ is_enterprise_install }, ...(authorizations ?? [])].some(
      (one) => one.is_enterprise_install,
    );
    const id = isOrgWide || !team_id ? enterpriseOf(envelope) : team_id;
    if (id) await removals.begin(id, toldAt(envelope));
  }
}

/** Some events name the organisation in their authorizations only. */
function enterpriseOf({ enterprise_id, authorizations }: Envelope): string | undefined {
  return enterprise_id ?? authorizations?.find((one) => one.enterprise_id)?.enterprise_id ?? undefined;
}

/**
 * Every installation before this moment (ms since 1970) is older than the event: Slack tells the time in whole seconds.
 */
function toldAt({ event_time }: Envelope): number {
  return (event_time + 1) * 1000;
}
