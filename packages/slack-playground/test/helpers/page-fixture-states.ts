import { withIds } from '../../src/ids.ts';
import type { PageChannel, PageState } from '../../src/page-state.ts';
import { APP, createSeeds } from '../../src/seeds.ts';
import type { Ephemeral, Json, Message, OpenView, View } from '../../src/types.ts';

/** The people and channels in the states below. */
export const { people: PEOPLE, channels: CHANNELS } = createSeeds();
export const BOT_ID = APP.user_id;
export const BOT_NAME = 'Playbot';
export const ADMIN = PEOPLE.admin.id;
export const ANA = PEOPLE.member.id;
export const GUEST = PEOPLE.guest.id;
export const SALES = CHANNELS.sales.id;

/** 14:02 today, so that the page shows times without a date. */
export const AT = new Date().setHours(14, 2, 0, 0);

let counter = 0;

/** A message of the bot in #sales; with `to`, only that person sees it. */
export function botSays(
  shown: { text: string; blocks: readonly object[] },
  fields: { ts?: string; to?: string; channel?: string } = {},
): Message | Ephemeral {
  counter += 1;
  const { ts = `${Math.floor(AT / 1000) + counter}.000100`, channel = SALES, ...to } = fields;
  return {
    channel,
    ts,
    user: BOT_ID,
    text: shown.text,
    blocks: withIds(shown.blocks as Json[]),
    ...to,
  };
}

/** A message of a person in #sales, without blocks. */
export function personSays(user: string, text: string): Message {
  counter += 1;
  return { channel: SALES, ts: `${Math.floor(AT / 1000) + counter}.000100`, user, text, blocks: [] };
}

/** A message of the bot with any blocks. */
export function blocksSaid(blocks: Json[], fields: { ts?: string; to?: string } = {}): Message | Ephemeral {
  return botSays({ text: 'Blocks', blocks }, fields);
}

/** An open modal; elements without an id get one. */
export function opened(
  definition: object,
  fields: { id?: string; user?: string; errors?: { [block: string]: string } } = {},
): OpenView {
  const { id = 'V0000000001', user = ADMIN, errors = {} } = fields;
  const { blocks, ...rest } = definition as Json;
  const view = {
    submit: null,
    close: null,
    ...rest,
    id,
    hash: '1.a',
    state: { values: {} },
    blocks: withIds(blocks as Json[]),
  };
  return { user, view: view as unknown as View, errors };
}

/** The screen of `as`, with `messages` in #sales. */
export function screenOf(
  as: string,
  fields: { messages?: PageChannel['messages']; views?: OpenView[] } = {},
): PageState {
  const { owner: _, ...played } = PEOPLE;
  const role = {
    admin: 'admin',
    member: 'member',
    colleague: 'member',
    guest: 'guest',
    outsider: 'from another workspace',
  };
  const place = (
    key: keyof typeof CHANNELS,
    messages: PageChannel['messages'],
    name?: string,
  ): PageChannel => {
    const { id, kind, name: own, members } = CHANNELS[key];
    const [isShared, isWithBot] = [key === 'partners', false];
    return { id, kind, name: name ?? own, messages, canType: members.includes(as), isShared, isWithBot };
  };
  const direct: PageChannel = {
    id: 'D0PLAYBOT1',
    name: BOT_NAME,
    kind: 'im',
    messages: [],
    canType: false,
    isShared: false,
    isWithBot: true,
  };
  const mine = (message: Message | Ephemeral) => !('to' in message) || message.to === as;
  return {
    as,
    team: { id: 'T0PLAYGRND', name: 'Playground' },
    bot: { userId: BOT_ID, name: BOT_NAME, state: 'running' },
    people: Object.entries(played).map(([key, { id, name }]) => ({
      id,
      name,
      role: role[key as keyof typeof role],
    })),
    channels:
      as === GUEST
        ? [place('partners', [])]
        : [
            place('sales', (fields.messages ?? []).filter(mine)),
            place('support', []),
            place('leads', []),
            place('partners', []),
            direct,
          ],
    views: fields.views ?? [],
    app: { tabs: [] },
    shortcuts: [],
    commands: [
      { word: '/poll ask', hint: '<question>', description: 'Ask everybody here' },
      { word: '/poll close', hint: '', description: 'End the poll of this channel' },
      { word: '/poll help', hint: '', description: 'See what there is' },
    ],
    help: '/poll help',
    home: SALES,
    tabs: [],
    panels: {},
  };
}

/** The screens of all people that one can act as; `one` makes each. */
export function screens(
  fields: Parameters<typeof screenOf>[1] = {},
  one: typeof screenOf = screenOf,
): { [as: string]: PageState } {
  const { owner: _, ...played } = PEOPLE;
  return Object.fromEntries(Object.values(played).map(({ id }) => [id, one(id, fields)]));
}

/** The state with other messages in #sales; an ephemeral one only for its person. */
export function withMessages(messages: PageChannel['messages']): (state: PageState) => PageState {
  return (state) => ({
    ...state,
    channels: state.channels.map((channel) =>
      channel.id === SALES
        ? { ...channel, messages: messages.filter((one) => !('to' in one) || one.to === state.as) }
        : channel,
    ),
  });
}

/** The state with these modals, for their person only. */
export function withViews(views: readonly OpenView[]): (state: PageState) => PageState {
  return (state) => ({ ...state, views: views.filter(({ user }) => user === state.as) });
}
