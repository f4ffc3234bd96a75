import type { App } from '@slack/bolt';
import { apologise } from '../answers/apology.ts';
import { openHome } from '../home/publish-home.ts';
import { afterAcks } from '../requests/slack-request.ts';
import { homeNotice } from '../ui/reports/home.ts';
import { depsAt, type Workspaces } from '../workspaces/workspaces.ts';

/** Somebody opened the Home: docs.slack.dev/reference/events/app_home_opened. Publishing twice does no harm. */
export function receiveHome(app: App, workspaces: Workspaces): void {
  app.event('app_home_opened', async ({ event, body }) => {
    if (event.tab !== 'home') return;
    const [authorization] = body.authorizations ?? [];
    const from = {
      team_id: body.team_id,
      enterprise_id: authorization?.enterprise_id ?? undefined,
      is_enterprise_install: authorization?.is_enterprise_install,
    };
    const deps = await depsAt(workspaces, from).catch((error: unknown) => {
      workspaces.outside.log.warn({ err: error }, 'a Home was opened where the bot has no token');
    });
    if (!deps) return;
    await afterAcks();
    try {
      await openHome(deps, event.user);
    } catch (error) {
      // The next refresh puts the Home back in the apology's place, if it can.
      await deps.core.homes.note(event.user, undefined).catch(() => undefined);
      await apologise(deps, error, ({ text }) =>
        deps.web.views.publish({ user_id: event.user, view: homeNotice(text) }),
      );
    }
  });
}
