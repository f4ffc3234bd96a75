import { randomUUID } from 'node:crypto';
import type { SlackDeps } from './deps.ts';
import { type FromSomewhere, placeOf } from './place-of.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * What a command, click or form works with in its workspace. Its log puts one `request` at all that comes of it. Where a
 * send is made or decided, its line has the `send` too, which everything after that is logged with. @throws NotInstalledError
 */
export async function depsAt(workspaces: Workspaces, body: FromSomewhere): Promise<SlackDeps> {
  const deps = await workspaces.at(placeOf(body));
  return { ...deps, log: deps.log.child({ request: randomUUID().slice(0, 8) }) };
}
