import { mayAdminister } from '../../core/accounts/permissions.ts';
import type { DueHome } from '../../core/core.ts';
import type { WorkspaceFacts } from '../../core/homes/workspace-facts.ts';
import { isViewChanged, slackErrorOf } from '../connection/slack-error.ts';
import { digestOf } from '../forms/shown-digest.ts';
import { type Home, homeView } from '../ui/reports/home.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { homeOf } from './home-of.ts';

/** How old the facts on a Home may be, in ms. `NOW`: when a person opens it. `A_WHILE`: when the bot keeps it up to date. */
const NOW = { people: 0, unknown: 0 };
const A_WHILE = { people: 300_000, unknown: 10_000 };

/** Publishes the Home of a person who has just opened it. For an hour from now on the bot keeps it up to date. */
export async function openHome(deps: SlackDeps, user: string): Promise<void> {
  const view = await makeHome(deps, user, NOW);
  if (!view) return;
  await deps.core.homes.opened(user);
  await publish(deps, user, { view });
}

/** Publishes a Home again if it would show something else by now. */
export async function refreshHome(
  deps: SlackDeps,
  { user, shown }: DueHome,
  facts: () => Promise<WorkspaceFacts>,
): Promise<void> {
  const view = await makeHome(deps, user, A_WHILE, facts);
  if (!view) return deps.core.homes.forget(user);
  if (digestOf(view.blocks) === shown?.digest) return;
  // Until the bot notes the publication, nobody knows what Slack shows. Slack's answer may be lost, or the bot may die.
  if (shown) await deps.core.homes.note(user, undefined);
  await publish(deps, user, { view, ...(shown && { hash: shown.hash }) });
}

/** Undefined for people of other workspaces: they have no Home here. */
async function makeHome(
  { access, conversations, core }: SlackDeps,
  user: string,
  maxAge: typeof NOW,
  facts = core.homes.facts,
): Promise<Home | undefined> {
  const person = await access.person(user, undefined, maxAge.people);
  if (person.isOutsider) return undefined;
  const [known, channels, lastSends, unknown] = await Promise.all([
    facts(),
    conversations.channelsOf(user, maxAge.people),
    core.homes.lastSends(person),
    mayAdminister(person) ? core.homes.unknown(maxAge.unknown) : undefined,
  ]);
  return homeView(homeOf(person, known, { channels, lastSends, unknown }));
}

/** With a `hash`, this replaces only that view: another bot may have published a newer one. */
async function publish(
  { web, core, log }: SlackDeps,
  user: string,
  { view, hash }: { view: Home; hash?: string },
): Promise<void> {
  try {
    const { view: published } = await web.views.publish({ user_id: user, view, ...(hash && { hash }) });
    await core.homes.note(user, { digest: digestOf(view.blocks), hash: published?.hash ?? '' });
  } catch (error) {
    // Nobody knows what the Home shows now: the next look publishes without a hash.
    if (isViewChanged(error)) return core.homes.note(user, undefined);
    if (slackErrorOf(error) !== 'not_enabled') throw error;
    log.warn('the Home tab is off in the app’s settings at Slack: apply the manifest, which switches it on');
    await core.homes.forget(user);
  }
}
