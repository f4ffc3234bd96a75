import { createPlayground } from 'slack-playground';
import { createWorld, type World, type WorldOptions } from '../../helpers/world.ts';
import { createSlackFront, OAUTH_APP, type SlackFront, type Tenant } from './slack-front.ts';

/** The whole product with two workspaces that install it. People and channels have the same ids in both. */
export interface TwoWorkspaces {
  front: SlackFront;
  first: World;
  /** The same bot and service, seen from the second workspace. */
  second: World;
  tenants: { first: Tenant; second: Tenant };
  /**
   * Somebody opens /slack/install, allows the app and comes back; resolves with the page that the browser shows then.
   * Give the bots' `url` if `first.start` did not start them.
   */
  install(tenant: Tenant, options?: { tokensLiveSeconds?: number; url?: string }): Promise<Response>;
  close(): Promise<void>;
}

/** Makes the world; `first.start` starts the bot. The second workspace belongs to `enterprise`, if given. */
export async function createTwoWorkspaces(
  options: Pick<WorldOptions, 'env' | 'sandbox'> & { enterprise?: string } = {},
): Promise<TwoWorkspaces> {
  const { env = {}, sandbox = {} } = options;
  const first = await createWorld({ env, sandbox });
  const front = await createSlackFront(first.signingSecret);
  const firstToken = first.environment.SLACK_BOT_TOKEN ?? '';
  const { clientId, clientSecret, stateSecret } = OAUTH_APP;
  Object.assign(first.environment, {
    SLACK_BOT_TOKEN: '',
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
    SLACK_API_URL: front.apiUrl,
  });
  const botToken = 'xoxb-second-5678';
  const other = await createPlayground({
    signingSecret: first.signingSecret,
    botToken,
    command: '/sms',
    team: { id: 'T0SECONDTM', name: 'Second', domain: 'second' },
  });
  const tenants = {
    first: { slack: first.slack, botToken: firstToken },
    second: {
      slack: other,
      botToken,
      ...(options.enterprise === undefined ? {} : { enterprise: options.enterprise }),
    },
  };
  const eventsUrl = `${first.url}/slack/events`;
  other.setEventsUrl(options.enterprise ? front.eventsUrlOf(tenants.second, eventsUrl) : eventsUrl);

  return {
    front,
    first,
    second: { ...first, slack: other },
    tenants,
    async install(tenant, { url = first.url, ...how } = {}) {
      const begun = await fetch(`${url}/slack/install`, { redirect: 'manual' });
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
      const query = new URLSearchParams({ code: front.allow(tenant, how), state });
      return fetch(`${url}/slack/oauth_redirect?${query}`, { headers: { cookie } });
    },
    async close() {
      await first.close();
      await Promise.all([front.close(), other.close()]);
    },
  };
}
