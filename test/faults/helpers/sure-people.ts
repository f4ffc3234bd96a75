import { labelOf, type Message, type Spot, spotsOf, textOf, type User } from 'slack-playground';
import { between, type Dice } from '../../helpers/dice.ts';
import type { World } from '../../helpers/world.ts';
import { loaded } from '../../helpers/world-steps.ts';

/** People who finish what they begin: they send, approve, stop and resend, in #sales. */
export interface SurePeople {
  /** A person does something; resolves with the result. @throws Error if the bot does not answer in time */
  doSomething(): Promise<string>;
}

/** Labels of buttons that decide about a text or a list. */
const DECIDES =
  /^(Send|Ask for approval|Approve|Decline|Resend|Resume|Pause|Stop|Undo|Text|Mark|Leave|It |They )/;
/** Labels of buttons that may repeat a text on a person's word, and a warning that says so. */
const MAY_REPEAT = /^(Resend|Resume)|anyway$/;
const WARNS = /may have been sent already/;
/** How long people wait for an answer, a form or a preview, in ms: a bot may be dead. */
const PATIENCE_MS = 2000;
/** Few numbers, so that texts and lists meet. The service refuses the last one. */
const PHONES = [
  ...Array.from({ length: 30 }, (_, place) => `+4477009001${String(place).padStart(2, '0')}`),
  '+447700900404',
];

/** `isCareful`: these people press nothing that may repeat a text. */
export function createSurePeople(
  { slack }: World,
  dice: Dice,
  { isCareful = false }: { isCareful?: boolean } = {},
): SurePeople {
  const { admin, owner, member } = slack.people;
  const channel = slack.channels.sales;
  let texts = 0;
  /** Buttons that somebody pressed before, maybe of a message that looks otherwise now. */
  const pressed: { user: User; message: Message; spot: Spot }[] = [];

  const pick = <T>(list: readonly T[]) => list[Math.floor(between(dice, 0, list.length))] as T;
  const mayRepeat = (message: Message, spot: Spot) =>
    MAY_REPEAT.test(labelOf(spot)) || WARNS.test(textOf(message));
  const deciding = (message: Message) =>
    spotsOf(message.blocks).filter(
      (spot) => DECIDES.test(labelOf(spot)) && !(isCareful && mayRepeat(message, spot)),
    );

  function newText(): string {
    texts += 1;
    return `Sure of ${slack.team.name}, ${texts}.`;
  }

  /** Clicks once or twice, perhaps at different bots. */
  async function click(user: User, message: Message, spot: Spot) {
    const { element, block } = spot;
    pressed.push({ user, message, spot });
    const at = { action_id: String(element.action_id), block_id: block.block_id };
    const once = () => slack.click({ user, message, ...at, forged: true });
    const [reaction] = await Promise.all(dice() < 0.3 ? [once(), once()] : [once()]);
    return reaction;
  }

  async function openForm(user: User, text: string) {
    const command = await slack.command({ user, channel, text });
    return loaded(slack, await command.view(PATIENCE_MS));
  }

  async function sendText(user: User): Promise<string> {
    const command = await slack.command({ user, channel, text: `send ${pick(PHONES)} ${newText()}` });
    const preview = await command.reply(PATIENCE_MS);
    const [button] = deciding(preview);
    if (!button) return 'a text: no button';
    await click(user, preview, button);
    return `a text: ${labelOf(button)}`;
  }

  async function sendList(user: User): Promise<string> {
    const text = newText();
    const view = await openForm(user, 'bulk');
    const recipients = PHONES.filter(() => dice() < 0.3).join('\n');
    await slack.submitView({ user, view, values: { Recipients: recipients, Message: text } });
    const previews = () => slack.ephemerals(user.id).filter((one) => textOf(one).includes(text));
    const preview = await slack.waitFor(
      () => previews().find((one) => deciding(one).length > 0),
      PATIENCE_MS,
    );
    const [button] = deciding(preview);
    if (!button) return 'a list: no button';
    await click(user, preview, button);
    return `a list: ${labelOf(button).replace(/\d+/, 'n')}`;
  }

  async function changeLimits(): Promise<string> {
    const view = await openForm(admin, 'limits');
    const values: Record<string, string | string[]> = {};
    for (const { block, element } of spotsOf(view.view.blocks)) {
      if (element.type === 'number_input') {
        values[block.block_id] = dice() < 0.4 ? pick(['0', '1', '3', '20', '100']) : '';
      }
      if (element.type === 'multi_users_select')
        values[block.block_id] = dice() < 0.5 ? [owner.id, member.id] : [];
    }
    const { outcome } = await slack.submitView({ user: admin, view, values });
    return `limits: ${outcome}`;
  }

  /** Presses one of the newest buttons that decide something and that the person sees. */
  async function decide(user: User): Promise<string> {
    const seen = slack.conversations().filter(({ members }) => members.includes(user.id));
    const shown = [...seen.map(({ id }) => slack.history(id)), slack.ephemerals(user.id)];
    const choices = shown
      .flatMap((messages) => messages.slice(-6))
      .flatMap((message) => deciding(message).map((spot) => ({ message, spot })));
    if (choices.length === 0) return 'nothing to decide';
    const { message, spot } = pick(choices);
    const reaction = await click(user, message, spot);
    const form = await reaction.view(300).catch(() => undefined);
    if (form?.view.submit) await slack.submitView({ user, view: form, values: {} });
    return `${labelOf(spot)}${form ? ', and its form' : ''}`;
  }

  /** Presses a button of before once more, as a client that has not seen the message change. */
  async function pressAgain(): Promise<string> {
    if (pressed.length === 0) return 'nothing to press again';
    const { user, message, spot } = pick(pressed.slice(-20));
    await click(user, message, spot);
    return `again: ${labelOf(spot)}`;
  }

  return {
    doSomething() {
      const user = pick([admin, owner, member]);
      if (dice() < 0.1) return pressAgain();
      const odds = dice();
      if (odds < 0.4) return sendText(user);
      if (odds < 0.6) return sendList(user);
      return odds < 0.63 ? changeLimits() : decide(user);
    },
  };
}
