import { checkHome, checkView } from '../blocks/check.ts';
import { readView } from '../content.ts';
import type { Parts } from '../parts.ts';
import { Refusal } from '../refusal.ts';
import type { Json, View } from '../types.ts';
import { type Methods, optional, required } from './args.ts';

/** views.open, views.push, views.update and views.publish. Source: docs.slack.dev/reference/methods. */
export function createViewMethods({ views, triggers, records, workspace, features }: Parts): Methods {
  function show(
    source: string,
    args: Json,
    how: (user: string, definition: Json, channel?: string) => View,
  ): Json {
    const trigger = required(args, 'trigger_id');
    const definition = readView(source, args.view, records);
    let view: View | undefined;
    triggers.exchange(trigger, (user, channel) => {
      view = how(user, definition, channel);
      return view.id;
    });
    return { view };
  }

  return {
    'views.open': (args) => show('views.open', args, views.open),
    'views.push': (args) => show('views.push', args, views.push),
    'views.update': (args) => {
      const external = optional(args, 'external_id') ?? '';
      const id = optional(args, 'view_id') ?? views.idOfExternal(external);
      const check = views.get(id ?? '')?.view.type === 'home' ? checkHome : checkView;
      const definition = readView('views.update', args.view, records, check);
      if (id === undefined) throw new Refusal('not_found');
      return { view: views.update(id, definition, optional(args, 'hash')) };
    },
    'views.publish': (args) => {
      const user = workspace.user(required(args, 'user_id'));
      if (!user || user.is_bot) throw new Refusal('invalid_arguments', ['invalid `user_id`']);
      const definition = readView('views.publish', args.view, records, checkHome);
      if (!features.home) throw new Refusal('not_enabled');
      return { view: views.publish(user.id, definition, optional(args, 'hash')) };
    },
  };
}
