import type { App } from '@slack/bolt';

/**
 * Told that an installation was taken away: the organisation's or the workspace's id, and a time (ms since 1970) that
 * every installation before it is older than.
 */
export type OnRemoved = (id: string, toldAt: number) => Promise<void>;

/** What these events say around themselves: docs.slack.dev/apis/events-api. */
interface Envelope {
  team_id?: string | undefined;
  enterprise_id?: string | undefined;
  event_time: number;
  is_enterprise_install?: boolean | undefined;
  authorizations?: { is_enterprise_install?: boolean | undefined }[] | undefined;
}

/**
 * Slack says that the bot was taken away: docs.slack.dev/reference/events/app_uninstalled and tokens_revoked. The two
 * come together, in any order, and more than once; either is enough.
 */
export function registerRemovals(app: App, onRemoved: OnRemoved): void {
  app.event('app_uninstalled', ({ body }) => told(body));
  app.event('tokens_revoked', async ({ event, body }) => {
    // Tokens that stand for a person are none of the bot's.
    if ((event.tokens.bot ?? []).length > 0) await told(body);
  });

  async function told(envelope: Envelope): Promise<void> {
    const { team_id, enterprise_id, event_time, is_enterprise_install, authorizations } = envelope;
    const isOrgWide = [{ is_enterprise_install }, ...(authorizations ?? [])].some(
      (one) => one.is_enterprise_install,
    );
    const id = isOrgWide || !team_id ? enterprise_id : team_id;
    // Slack tells the time in whole seconds.
    if (id) await onRemoved(id, (event_time + 1) * 1000);
  }
}
