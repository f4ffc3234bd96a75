import {
  type Block,
  type Choice,
  type Ephemeral,
  type Json,
  labelOf,
  type Message,
  type OpenView,
  type Spot,
  spotsOf,
  textOf,
  type User,
  type View,
} from 'slack-playground';
import { SHORTCUTS } from '../../../src/slack/ui/ids.ts';
import { between, type Dice } from '../../helpers/dice.ts';
import type { World } from '../../helpers/world.ts';
import { ACME_KEY, BIRCH_KEY } from '../../helpers/world-steps.ts';

/** A person's deed, and Slack's ack: null if nothing was sent, or if no toast was shown. */
export interface Deed {
  what: string;
  status: number | null;
  toast: string | null;
}

/** An element that a person uses, and their choice in it. */
interface Use {
  action_id: string;
  block_id: string;
  value?: Choice;
}

/** People who use everything that they see, at random. */
export interface RandomPeople {
  /** A person does something. Undefined if there was nothing to do. */
  doSomething(): Promise<Deed | undefined>;
  /** Whether one of these people made up words of a text. */
  wrote(text: string): boolean;
  /** How many drafts of a text people decided to send. A number may get the text that often. */
  decided(text: string): number;
}

/** Few numbers, so that texts meet. The service refuses the last one. */
const PHONES = ['+447700900001', '+447700900002', '+447700900003', '+44 7700 900004', '+447700900404'];
const GARBAGE = [
  '',
  '0',
  '-1',
  '12',
  '99999999',
  'x',
  '{name}',
  '<@U0ADMIN001>',
  '+4477009',
  'https://a.example/b',
  '😀',
];
const WORDS = [
  'balance',
  'status',
  'help',
  'history',
  'history all',
  'history +447700900001',
  'approvals',
  'statement',
  'optouts',
  'optout +447700900003',
  'optin +447700900003',
  'link',
  'settings',
  'limits',
  'unlink',
  'bulk',
  'send',
  'blance',
  '',
];
/** Labels of buttons that send a draft's text. */
const SENDS = /^(Send\b|Approve and send|Resend|Continue|Resume|Text them again)/;
const KEPT_MESSAGES = 12;
const TEXT = /Words \d+\./g;

export function createRandomPeople(world: World, dice: Dice): RandomPeople {
  const { slack } = world;
  const people = Object.values(slack.people);
  const channels = Object.values(slack.channels);
  let texts = 0;
  let user: User = slack.people.member;
  /** The values of buttons below each text, and those that somebody pressed to send. */
  const drafts = new Map<string, Set<string>>();
  const sent = new Set<string>();
  /** Old versions of messages: people press buttons that a bot has already replaced. */
  const outdated: { user: User; message: Message | Ephemeral }[] = [];

  function pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(between(dice, 0, list.length))];
  }

  function newText(): string {
    texts += 1;
    return `Words ${texts}.`;
  }

  function choose(spot: Spot): Choice | undefined {
    const { element } = spot;
    const options = [
      ...((element.options as Json[] | undefined) ?? []),
      ...((element.option_groups as { options: Json[] }[] | undefined) ?? []).flatMap(
        (group) => group.options,
      ),
    ].map(({ value }) => String(value));
    const someone = () => pick(people)?.id ?? '';
    switch (element.type) {
      case 'overflow':
      case 'static_select':
      case 'radio_buttons':
        return pick(options);
      case 'multi_static_select':
      case 'checkboxes':
        return options.filter(() => dice() < 0.5);
      case 'users_select':
        return someone();
      case 'multi_users_select':
        return [someone(), someone()];
      case 'conversations_select':
      case 'channels_select':
        return pick(channels)?.id;
      case 'multi_conversations_select':
      case 'multi_channels_select':
        return [pick(channels)?.id ?? ''];
      case 'datepicker':
        return pick(['2026-11-01', '2026-11-24', '2027-01-01', '2020-02-29']);
      case 'number_input':
        return pick(['0', '1', '5', '100', '-3', '1000000']);
      case 'url_text_input':
        return pick(['https://example.com/top-up', 'x']);
      default:
        return typed(labelOf(spot));
    }
  }

  function typed(label: string): string {
    const isText = /message|text/i.test(label);
    if (dice() < 0.15) return `${pick(GARBAGE)}${isText ? ` ${newText()}` : ''}`;
    if (/key/i.test(label)) return pick([ACME_KEY, ACME_KEY, ACME_KEY, BIRCH_KEY, 'wrong']) ?? '';
    if (/recipients/i.test(label)) return PHONES.filter(() => dice() < 0.7).join('\n');
    if (/recipient|number|phone/i.test(label)) return pick(PHONES) ?? '';
    if (isText) return newText();
    return pick(['Sales', 'One', '10', '50', '3']) ?? '';
  }

  /** The messages that a person sees, newest last. */
  function messagesFor(user: User): (Message | Ephemeral)[] {
    const seen = slack.conversations().filter((channel) => channel.members.includes(user.id));
    return [
      ...seen.flatMap(({ id }) => slack.history(id).slice(-KEPT_MESSAGES)),
      ...slack.ephemerals(user.id).slice(-KEPT_MESSAGES),
    ];
  }

  /** Remembers the buttons below each text. */
  function note(shown: Message | Ephemeral | View, values: string[]): void {
    for (const [text] of textOf(shown as Message).matchAll(TEXT)) {
      const known = drafts.get(text) ?? new Set();
      drafts.set(text, known);
      for (const value of values) known.add(value);
    }
  }

  function valuesOf({ blocks }: { blocks: readonly Block[] }): string[] {
    return spotsOf(blocks).flatMap(({ element: { value } }) => (typeof value === 'string' ? [value] : []));
  }

  /** A person is about to use this element. */
  function uses(shown: Message | Ephemeral | View, spot: Spot): Use {
    note(shown, valuesOf(shown));
    const { element, block } = spot;
    if (typeof element.value === 'string' && SENDS.test(labelOf(spot))) sent.add(element.value);
    const value = element.type === 'button' ? undefined : choose(spot);
    const at = { action_id: String(element.action_id), block_id: block.block_id };
    return value === undefined ? at : { ...at, value };
  }

  function submits(view: View): void {
    note(view, [view.id]);
    if (SENDS.test(view.submit?.text ?? '')) sent.add(view.id);
  }

  async function type(user: User): Promise<Deed | undefined> {
    const channel = pick(channels.filter(({ members }) => members.includes(user.id)));
    if (!channel || user.is_stranger) return undefined;
    const words = dice() < 0.6 ? `send ${pick(PHONES)} ${newText()}` : (pick(WORDS) ?? '');
    const { status, toast } = await slack.command({ user, channel, text: words });
    return { what: `${user.name} types ${words}`, status, toast };
  }

  async function press(user: User): Promise<Deed | undefined> {
    const usable = messagesFor(user).filter(({ blocks }) => spotsOf(blocks).length > 0);
    const old = dice() < 0.1 ? pick(outdated.filter((one) => one.user === user)) : undefined;
    const message = old?.message ?? (dice() < 0.6 ? usable.at(-1) : pick(usable));
    const spots = message ? spotsOf(message.blocks) : [];
    // A draft's first button is Send.
    const spot = dice() < 0.6 ? spots[0] : pick(spots);
    if (!message || !spot) return undefined;
    const use = uses(message, spot);
    outdated.push({ user, message });
    const click = () => slack.click({ user, message, ...use, forged: true });
    const [{ status, toast }] = await Promise.all(dice() < 0.15 ? [click(), click()] : [click()]);
    return { what: `${user.name} presses ${labelOf(spot) || use.action_id}`, status, toast };
  }

  async function useForm(user: User, form: OpenView): Promise<Deed | undefined> {
    const { view } = form;
    const { text: title } = view.title;
    const spots = spotsOf(view.blocks);
    const spot = pick(spots.filter(({ block }) => block.type !== 'input'));
    if (spot && dice() < 0.4) {
      const { status, toast } = await slack.clickInView({ user, view: form, ...uses(view, spot) });
      return {
        what: `${user.name} uses ${labelOf(spot) || spot.element.action_id} in ${title}`,
        status,
        toast,
      };
    }
    if (!view.submit || dice() < 0.2) {
      await slack.closeView({ user, view: form });
      return { what: `${user.name} closes ${title}`, status: null, toast: null };
    }
    const inputs = spots.filter(
      ({ block, element }) => block.type === 'input' && element.type !== 'file_input',
    );
    const values: Record<string, Choice> = {};
    for (const input of inputs) {
      const value = dice() < 0.8 ? choose(input) : undefined;
      if (value !== undefined) values[input.block.block_id] = value;
    }
    submits(view);
    const { status, toast } = await slack.submitView({ user, view: form, values });
    return { what: `${user.name} submits ${title} with ${JSON.stringify(values)}`, status, toast };
  }

  async function useHome(user: User): Promise<Deed | undefined> {
    if (user.is_stranger) return undefined;
    const view = slack.home(user.id);
    const spot = view && pick(spotsOf(view.blocks));
    if (!view || !spot || dice() < 0.5) {
      const { status = null, toast = null } = (await slack.openApp({ user })) ?? {};
      return { what: `${user.name} opens Home`, status, toast };
    }
    const { status, toast } = await slack.clickInView({ user, view, ...uses(view, spot) });
    return { what: `${user.name} uses ${labelOf(spot) || spot.element.action_id} at Home`, status, toast };
  }

  async function useShortcut(user: User): Promise<Deed | undefined> {
    if (user.is_stranger) return undefined;
    const callback_id = pick(Object.values(SHORTCUTS)) as string;
    const message = pick(messagesFor(user));
    const isGlobal = callback_id === SHORTCUTS.writeText || callback_id === SHORTCUTS.textList;
    if (!isGlobal && !message) return undefined;
    const { status, toast } = isGlobal
      ? await slack.shortcut({ user, callback_id })
      : await slack.messageShortcut({ user, message: message as Message, callback_id, forged: true });
    return { what: `${user.name} takes the shortcut ${callback_id}`, status, toast };
  }

  return {
    async doSomething() {
      // Most people go on with what they have begun.
      user = dice() < 0.6 ? user : (pick(people) as User);
      const form = slack.views(user.id).at(-1);
      if (form && dice() < 0.8) return useForm(user, form);
      const odds = dice();
      if (odds < 0.3) return type(user);
      if (odds < 0.85) return press(user);
      return odds < 0.95 ? useHome(user) : useShortcut(user);
    },
    wrote: (text) => text.match(TEXT) !== null,
    decided(text) {
      const [words = ''] = text.match(TEXT) ?? [];
      return [...(drafts.get(words) ?? [])].filter((value) => sent.has(value)).length;
    },
  };
}
