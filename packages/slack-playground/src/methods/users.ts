import { Refusal } from '../refusal.ts';
import type { App } from '../seeds.ts';
import type { Team, User } from '../types.ts';
import type { Workspace } from '../workspace.ts';
import { type Methods, page, required } from './args.ts';

function userJson(user: User) {
  return {
    ...user,
    profile: { real_name: user.real_name, display_name: user.name, team: user.team_id },
    is_app_user: false,
    updated: 0,
  };
}

/** auth.test, users.info and users.list. */
export function createUserMethods(workspace: Workspace, team: Team, bot: App): Methods {
  return {
    'auth.test': () => ({
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      team_id: team.id,
      user: bot.name,
      user_id: bot.user_id,
      bot_id: bot.bot_id,
      is_enterprise_install: false,
    }),
    'users.info': (args) => {
      const user = workspace.user(required(args, 'user'));
      if (!user) throw new Refusal('user_not_found');
      return { user: userJson(user) };
    },
    'users.list': (args) => {
      const { items, response_metadata } = page(args, workspace.users(), 200);
      return { members: items.map(userJson), response_metadata };
    },
  };
}
