import { readView } from '../content.ts';
import type { Records } from '../records.ts';
import { Refusal } from '../refusal.ts';
import type { Triggers } from '../triggers.ts';
import type { Json, View } from '../types.ts';
import type { Views } from '../views.ts';
import { type Methods, optional, required } from './args.ts';

/** views.open, views.push and views.update. Source: docs.slack.dev/reference/methods. */
export function createViewMethods(views: Views, triggers: Triggers, records: Records): Methods {
  function show(source: string, args: Json, how: (user: string, definition: Json) => View): Json {
    const trigger = required(args, 'trigger_id');
    const definition = readView(source, args.view, records);
    let view: View | undefined;
    triggers.exchange(trigger, (user) => {
      view = how(user, definition);
      return view.id;
    });
    return { view };
  }

  return {
    'views.open': (args) => show('views.open', args, views.open),
    'views.push': (args) => show('views.push', args, views.push),
    'views.update': (args) => {
      const definition = readView('views.update', args.view, records);
      const external = optional(args, 'external_id') ?? '';
      const id = optional(args, 'view_id') ?? views.idOfExternal(external);
      if (id === undefined) throw new Refusal('not_found');
      return { view: views.update(id, definition, optional(args, 'hash')) };
    },
  };
}
