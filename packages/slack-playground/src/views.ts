import { randomBytes } from 'node:crypto';
import type { Changes } from './changes.ts';
import { spotKey, spotsOf, stateValues, withCurrent } from './elements.ts';
import { newId, withIds } from './ids.ts';
import { Refusal } from './refusal.ts';
import type { App } from './seeds.ts';
import type { HomesSnapshot } from './snapshot.ts';
import type { Block, Json, OpenView, View } from './types.ts';

/** How many modals one person can have on top of each other. Source: docs.slack.dev/surfaces/modals. */
const MAX_STACK = 3;

/** The fields that Slack adds to a definition without them; only a Home has no title. */
const DEFAULTS = {
  title: { type: 'plain_text', text: 'View Title', emoji: true },
  submit: null,
  close: null,
  private_metadata: '',
  callback_id: '',
  external_id: '',
  clear_on_close: false,
  notify_on_close: false,
};

interface Entry {
  user: string;
  /** The conversation that the person looked at when the view opened. */
  channel?: string | undefined;
  fields: Omit<View, 'state'>;
  inputs: Map<string, Json>;
  errors: Record<string, string>;
}

/** A view as the app gets it. */
function whole({ fields, inputs }: Entry): View {
  return { ...fields, state: { values: stateValues(fields.blocks as Block[], inputs) } } as View;
}

/** A view as its person sees it. */
const shown = (one: Entry): OpenView => ({ user: one.user, view: whole(one), errors: { ...one.errors } });

/** The fields that the app's definition decides, and a new hash. `now` is in ms. */
const designOf = (definition: Json, channel: string | undefined, now: number) => ({
  ...DEFAULTS,
  ...definition,
  blocks: withCurrent(withIds(definition.blocks as Json[]), channel),
  hash: `${Math.floor(now / 1000)}.${randomBytes(4).toString('hex')}`,
});

/** The open modals of each person, the topmost last, and the Home that the app published for them. */
export type Views = ReturnType<typeof createViews>;

export function createViews(team: string, bot: App, now: () => number, changes: Changes) {
  const stacks = new Map<string, Entry[]>();
  const homes = new Map<string, Entry>();

  const stack = (user: string) => stacks.get(user) ?? [];
  const all = () => [...[...stacks.values()].flat(), ...homes.values()];
  const entry = (id: string) => all().find((one) => one.fields.id === id);

  function tell(changed: Entry): void {
    const { user } = changed;
    if (changed.fields.type === 'home') changes.emit({ kind: 'home', user, view: whole(changed) });
    else tellStack(user);
  }
  const tellStack = (user: string) => changes.emit({ kind: 'view', user, stack: stack(user).map(shown) });

  function need(id: string): Entry {
    const found = entry(id);
    if (!found) throw new Refusal('not_found');
    return found;
  }

  function checkExternalId(definition: Json, own?: Entry): void {
    const id = definition.external_id;
    const taken = (one: Entry) => one !== own && one.fields.external_id === id;
    if (id && all().some(taken)) throw new Refusal('duplicate_external_id');
  }

  function made(user: string, definition: Json, below: Entry[], channel?: string): Entry {
    checkExternalId(definition);
    const id = newId('V');
    const fields = {
      id,
      team_id: team,
      ...designOf(definition, channel, now()),
      root_view_id: below[0]?.fields.id ?? id,
      previous_view_id: below.at(-1)?.fields.id ?? null,
      app_id: bot.app_id,
      bot_id: bot.bot_id,
      app_installed_team_id: team,
    } as unknown as Omit<View, 'state'>;
    return { user, channel, fields, inputs: new Map(), errors: {} };
  }

  function add(user: string, definition: Json, below: Entry[], channel?: string): View {
    if (below.length >= MAX_STACK) throw new Refusal('push_limit_reached');
    const added = made(user, definition, below, channel ?? below.at(-1)?.channel);
    keep(user, [...below, added]);
    return whole(added);
  }

  function keep(user: string, entries: Entry[]): void {
    stacks.set(user, entries);
    tellStack(user);
  }

  /** Replaces the definition. An input keeps its state if its block_id and action_id stay. */
  function change(changed: Entry, definition: Json, hash: string | undefined): View {
    if (hash !== undefined && hash !== changed.fields.hash) throw new Refusal('hash_conflict');
    checkExternalId(definition, changed);
    const design = designOf(definition, changed.channel, now());
    changed.fields = { ...changed.fields, ...design } as unknown as Omit<View, 'state'>;
    changed.errors = {};
    const still = new Set(spotsOf(changed.fields.blocks as Block[]).map(spotKey));
    for (const key of changed.inputs.keys()) if (!still.has(key)) changed.inputs.delete(key);
    tell(changed);
    return whole(changed);
  }

  return {
    /** Opens a modal, and closes all others of the person. Throws duplicate_external_id. */
    open: (user: string, definition: Json, channel?: string): View => add(user, definition, [], channel),

    /** Opens a modal on top. Throws not_found if none is open, push_limit_reached for a fourth, duplicate_external_id. */
    push(user: string, definition: Json, channel?: string): View {
      if (stack(user).length === 0) throw new Refusal('not_found');
      return add(user, definition, stack(user), channel);
    },

    /** Changes an open modal or a Home. Throws not_found, hash_conflict, duplicate_external_id. */
    update: (id: string, definition: Json, hash?: string): View => change(need(id), definition, hash),

    /** Makes or changes the Home of a person. Throws hash_conflict, duplicate_external_id. */
    publish(user: string, definition: Json, hash?: string): View {
      const known = homes.get(user);
      if (known) return change(known, definition, hash);
      if (hash !== undefined) throw new Refusal('hash_conflict');
      const first = made(user, definition, []);
      homes.set(user, first);
      tell(first);
      return whole(first);
    },

    /** Sets the state of an element. */
    input(id: string, key: string, state: Json): void {
      const changed = need(id);
      changed.inputs.set(key, state);
      tell(changed);
    },

    /** Shows errors under inputs, by block id. */
    showErrors(id: string, errors: Record<string, string>): void {
      const changed = need(id);
      changed.errors = errors;
      tell(changed);
    },

    /** Closes a modal and those on top of it; the one below shows again. */
    close(id: string): void {
      const { user } = need(id);
      const at = stack(user).findIndex((one) => one.fields.id === id);
      keep(user, stack(user).slice(0, at));
    },

    /** Closes all modals of a person. */
    clear: (user: string): void => keep(user, []),

    get(id: string): OpenView | undefined {
      const found = entry(id);
      return found && shown(found);
    },
    /** The id of the open view with this external id. */
    idOfExternal(external: string): string | undefined {
      const found = all().find((one) => one.fields.external_id === external);
      return external === '' ? undefined : (found?.fields.id as string | undefined);
    },
    stack: (user: string): readonly OpenView[] => stack(user).map(shown),
    /** What the app published for this person. */
    home(user: string): View | undefined {
      const published = homes.get(user);
      return published && whole(published);
    },
    reset(): void {
      stacks.clear();
      homes.clear();
    },

    /** The Homes, without what people typed into them. */
    snapshot: (): HomesSnapshot => [...homes.values()].map(({ user, fields }) => ({ user, fields })),
    restore(kept: HomesSnapshot): void {
      for (const { user, fields } of kept) homes.set(user, { user, fields, inputs: new Map(), errors: {} });
    },
  };
}
