import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Removals } from '../../core/workspaces/removals.ts';

/** The fields around an event: docs.slack.dev/apis/events-api. */
interface Envelope {
  event?: { type: string; tokens?: { bot?: string[] }; team_ids?: string[] };
  team_id?: string | undefined;
  enterprise_id?: string | null | undefined;
  is_enterprise_install?: boolean | undefined;
  authorizations?: Pick<Envelope, 'enterprise_id' | 'is_enterprise_install'>[] | undefined;
}

/**
 * Begins a removal when Slack says that the bot was uninstalled: docs.slack.dev/reference/events/app_uninstalled and
 * tokens_revoked. Both events come, in any order, and more than once; one is enough. An organisation may also take single
 * workspaces out of its installation: team_access_revoked.
 */
export function receiveRemovals(app: App, removals: Pick<Removals, 'begin' | 'beginOf'>, log: Logger): void {
  // Bolt acks an event before its listeners run. Slack does not repeat acked events, so we save the removal first.
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (received) => {
    await noteRemoval(received.body as Envelope).catch((error: unknown) => {
      log.warn({ err: error }, 'the bot could not note a removal: Slack sends its news again');
      throw error;
    });
    return processEvent(received);
  };

  async function noteRemoval({ event, ...envelope }: Envelope): Promise<void> {
    switch (event?.type) {
      case 'app_uninstalled':
        return removeInstallation(envelope);
      case 'tokens_revoked':
        // Tokens of a person are not the bot's.
        return (event.tokens?.bot ?? []).length > 0 ? removeInstallation(envelope) : undefined;
      case 'team_access_revoked': {
        const enterprise = enterpriseOf(envelope);
        if (enterprise) await removals.beginOf(enterprise, event.team_ids ?? []);
      }
    }
  }

  async function removeInstallation(envelope: Envelope): Promise<void> {
    const { team_id, is_enterprise_install, authorizations } = envelope;
    const isOrgWide = is_enterprise_install || authorizations?.some((one) => one.is_enterprise_install);
    const id = isOrgWide || !team_id ? enterpriseOf(envelope) : team_id;
    if (id) await removals.begin(id);
  }
}

/** Some events name the organisation in their authorizations only. */
function enterpriseOf({ enterprise_id, authorizations }: Envelope): string | undefined {
  return enterprise_id ?? authorizations?.find((one) => one.enterprise_id)?.enterprise_id ?? undefined;
}
