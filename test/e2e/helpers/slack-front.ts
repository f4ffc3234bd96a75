import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Playground, sign } from 'slack-playground';

/** The app's ids and secret at this Slack. */
export const OAUTH_APP = {
  clientId: '1234.5678',
  clientSecret: 'a-client-secret',
  stateSecret: 'a-state-secret',
};

/** A workspace behind the front. */
export interface Tenant {
  slack: Playground;
  /** The token that its playground accepts. */
  botToken: string;
  /** The organisation that installs the app for the workspace. */
  enterprise?: string;
}

/** Several workspaces as one Slack. A call of the bot goes to the workspace of its token. */
export interface SlackFront {
  apiUrl: string;
  /** An address for a workspace's requests. The front passes them on as those of an organisation's installation. */
  eventsUrlOf(tenant: Tenant, botUrl: string): string;
  /** The code that Slack gives a person who has allowed the app. */
  allow(tenant: Tenant, options?: { tokensLiveSeconds?: number }): string;
  /** Removes the app from a workspace: its tokens stop working, and the bot gets the event. */
  remove(tenant: Tenant): Promise<void>;
  /** Workspaces that their organisation has removed from its installation. */
  takenAway: Set<string>;
  /** How many exchanges of tokens succeeded, and how many came with a used token. */
  exchanges: { done: number; refused: number };
  close(): Promise<void>;
}

interface Issued {
  tenant: Tenant;
  tokensLiveSeconds?: number;
}

export async function createSlackFront(signingSecret: string): Promise<SlackFront> {
  const codes = new Map<string, Issued>();
  const tokens = new Map<string, Issued>();
  const refreshTokens = new Map<string, Issued>();
  const doors: { tenant: Tenant; botUrl: string }[] = [];
  const exchanges = { done: 0, refused: 0 };
  const takenAway = new Set<string>();
  const revoked = new Set<string>();
  let count = 0;

  function issue(issued: Issued) {
    count += 1;
    const { tokensLiveSeconds } = issued;
    const token = `xoxb-issued-${count}`;
    tokens.set(token, issued);
    if (tokensLiveSeconds === undefined) return { access_token: token };
    refreshTokens.set(`xoxe-1-refresh-${count}`, issued);
    return {
      access_token: token,
      refresh_token: `xoxe-1-refresh-${count}`,
      expires_in: tokensLiveSeconds,
    };
  }

  /** docs.slack.dev/reference/methods/oauth.v2.access */
  function access(args: URLSearchParams): object {
    const { clientId, clientSecret } = OAUTH_APP;
    if (args.get('client_id') !== clientId || args.get('client_secret') !== clientSecret)
      return { ok: false, error: 'bad_client_secret' };
    const refresh = args.get('refresh_token');
    if (refresh !== null) {
      const issued = refreshTokens.get(refresh);
      if (!issued) {
        exchanges.refused += 1;
        return { ok: false, error: 'invalid_refresh_token' };
      }
      refreshTokens.delete(refresh);
      exchanges.done += 1;
      return { ok: true, token_type: 'bot', ...issue({ ...issued, tokensLiveSeconds: 43_200 }) };
    }
    const issued = codes.get(args.get('code') ?? '');
    if (!issued) return { ok: false, error: 'invalid_code' };
    codes.delete(args.get('code') ?? '');
    const { slack, enterprise } = issued.tenant;
    return {
      ok: true,
      app_id: slack.bot.app_id,
      authed_user: { id: slack.people.admin.id },
      scope: 'commands,chat:write',
      token_type: 'bot',
      bot_user_id: slack.bot.user_id,
      team: enterprise === undefined ? { id: slack.team.id, name: slack.team.name } : null,
      enterprise: enterprise === undefined ? null : { id: enterprise, name: 'Org' },
      is_enterprise_install: enterprise !== undefined,
      ...issue(issued),
    };
  }

  async function callApi(method: string, request: IncomingMessage, body: string): Promise<object> {
    if (method === 'api.test') return { ok: true };
    if (method === 'oauth.v2.access') return access(new URLSearchParams(body));
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const tenant = tokens.get(bearer ?? '')?.tenant;
    if (!tenant) return { ok: false, error: revoked.has(bearer ?? '') ? 'account_inactive' : 'invalid_auth' };
    if (method === 'auth.teams.list') {
      const { id, name } = tenant.slack.team;
      return { ok: true, teams: takenAway.has(id) ? [] : [{ id, name }], response_metadata: {} };
    }
    const answer = await fetch(`${tenant.slack.apiUrl}${method}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.botToken}`,
        'content-type': request.headers['content-type'] ?? 'application/json',
      },
      body,
    });
    const json = (await answer.json()) as { user?: object };
    if (tenant.enterprise === undefined || method !== 'users.info') return json;
    const enterprise_user = { enterprise_id: tenant.enterprise, teams: [tenant.slack.team.id] };
    return { ...json, user: { ...json.user, enterprise_user } };
  }

  /** Signs a workspace's request again and passes it on as one of an organisation's installation. */
  async function passOn(index: number, request: IncomingMessage, body: string, response: ServerResponse) {
    const { tenant, botUrl } = doors[index] ?? {};
    if (!tenant?.enterprise || !botUrl) throw new Error('there is no such door');
    const changed = asOrganisation(body, tenant.enterprise);
    const seconds = Math.floor(Date.now() / 1000);
    const answer = await fetch(botUrl, {
      method: 'POST',
      headers: {
        'content-type': request.headers['content-type'] ?? '',
        'x-slack-request-timestamp': String(seconds),
        'x-slack-signature': sign(signingSecret, seconds, changed),
      },
      body: changed,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const [, room = '', name = ''] = (request.url ?? '').split('/');
    if (room === 'door') return passOn(Number(name), request, body, response);
    // If a workspace loses an answer, the bot gets none either.
    const answer = await callApi(name, request, body).catch(() => undefined);
    if (!answer) return response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    apiUrl: `${origin}/api/`,
    takenAway,
    exchanges,
    eventsUrlOf(tenant, botUrl) {
      doors.push({ tenant, botUrl });
      return `${origin}/door/${doors.length - 1}`;
    },
    async remove(tenant) {
      for (const [token, issued] of tokens) {
        if (issued.tenant !== tenant) continue;
        tokens.delete(token);
        revoked.add(token);
      }
      await tenant.slack.event({ type: 'app_uninstalled' });
    },
    allow(tenant, options = {}) {
      count += 1;
      const code = `code-${count}`;
      codes.set(code, { tenant, ...options });
      return code;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The same request as Slack sends it if an organisation has installed the app. */
function asOrganisation(body: string, enterprise: string): string {
  if (body.startsWith('{')) {
    const event = JSON.parse(body) as { authorizations: object[] };
    const authorizations = event.authorizations.map((one) => ({
      ...one,
      enterprise_id: enterprise,
      is_enterprise_install: true,
    }));
    return JSON.stringify({ ...event, enterprise_id: enterprise, authorizations });
  }
  const fields = new URLSearchParams(body);
  const payload = fields.get('payload');
  if (payload === null) {
    fields.set('is_enterprise_install', 'true');
    fields.set('enterprise_id', enterprise);
    return fields.toString();
  }
  const changed = {
    ...JSON.parse(payload),
    team: null,
    enterprise: { id: enterprise },
    is_enterprise_install: true,
  };
  fields.set('payload', JSON.stringify(changed));
  return fields.toString();
}
