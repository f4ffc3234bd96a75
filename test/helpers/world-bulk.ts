import { type Ephemeral, type Message, type OpenView, textOf } from 'slack-playground';
import type { World } from './world.ts';
import { loaded, openModal, UNFINISHED, type Where } from './world-steps.ts';

/** A person's input for the bulk form. */
export interface BulkForm extends Where {
  recipients?: string;
  file?: { name: string; bytes: Uint8Array | string };
  message?: string;
}

/** Opens the bulk form, fills it in and submits it. Resolves to the view and Slack's answer. */
export async function submitBulk(world: World, form: BulkForm) {
  const { slack } = world;
  const { user = slack.people.member, channel = slack.channels.sales } = form;
  const view = await openBulkForm(slack, { user, channel });
  if (form.file) {
    const { problem } = slack.attachFile({ user, view, text: 'CSV file', ...form.file });
    if (problem) throw new Error(problem);
  }
  const values = {
    ...(form.recipients === undefined ? {} : { Recipients: form.recipients }),
    ...(form.message === undefined ? {} : { Message: form.message }),
  };
  return { view, done: await slack.submitView({ user, view, values }) };
}

/** The form of a list. If the bot says that its store was too slow, types the command again, three times at most. */
async function openBulkForm(
  slack: World['slack'],
  { user, channel }: Required<Where>,
  tries = 4,
): Promise<OpenView> {
  const view = await loaded(slack, await openModal(slack, { user, channel, text: 'bulk' }));
  if (tries === 1 || !UNFINISHED.test(textOf(view))) return view;
  await slack.closeView({ user, view, all: true });
  return openBulkForm(slack, { user, channel }, tries - 1);
}

/**
 * Drafts a list from the form to the preview, which must have its Send button. If the bot says that its store was too slow,
 * begins again, three times at most.
 */
export async function draftBulk(world: World, form: BulkForm, tries = 4): Promise<Ephemeral> {
  const { slack } = world;
  const user = idOf(form.user ?? slack.people.member);
  const before = new Set(slack.ephemerals(user).map(({ ts }) => ts));
  const { view, done } = await submitBulk(world, form);
  if (Object.keys(done.errors ?? {}).length > 0) throw new Error(JSON.stringify(done.errors));
  const preview = () =>
    slack
      .ephemerals(user)
      .find((shown) => !before.has(shown.ts) && /\[Send [\d,]+ message/.test(textOf(shown)));
  const words = () => textOf(slack.view(view.view.id) ?? []);
  const shown = await slack
    .waitFor(() => preview() ?? (UNFINISHED.test(words()) && 'unfinished'), 60_000)
    .catch(() => 'nothing' as const);
  if (typeof shown === 'object') return shown;
  if (shown === 'nothing' || tries === 1) throw new Error(`there is no preview, but this form: ${words()}`);
  await slack.closeView({ user, view, all: true });
  return draftBulk(world, form, tries - 1);
}

function idOf(ref: NonNullable<Where['user']>): string {
  return typeof ref === 'string' ? ref : ref.id;
}

/** Presses the Send button of a preview. `forged`: also if the preview is gone. */
export function confirmBulk(world: World, preview: Ephemeral, { forged = false } = {}) {
  const [, text = ''] = /\[(Send [\d,]+ messages?)\]/.exec(textOf(preview)) ?? [];
  return world.slack.click({ user: preview.to, message: preview, text, forged });
}

/** The newest job's card in a channel. */
export function cardOf({ slack }: World, channel = slack.channels.sales): Message | undefined {
  return slack
    .history(channel.id)
    .findLast((message) => /\*(Sending|Paused|Finished|Stopped)\*/.test(textOf(message)));
}

/** The card, once its headline matches. */
export async function cardSaying(world: World, words: RegExp, ms = 40_000): Promise<Message> {
  const found = () => {
    const card = cardOf(world);
    return card && words.test(textOf(card)) ? card : undefined;
  };
  return world.slack.waitFor(found, ms).catch(() => {
    const card = cardOf(world);
    throw new Error(`the card does not say ${words}: ${card ? textOf(card) : 'there is none'}`);
  });
}

/** The newest file with this name in a person's direct messages, as rows of cells. */
export function fileFor({ slack }: World, user: { id: string }, name: RegExp): string[][] | undefined {
  const files = slack.history(slack.directMessage(user.id).id).flatMap((message) => message.files ?? []);
  const file = files.findLast((each) => name.test(each.name));
  const bytes = file && slack.fileBytes(file.id);
  const text =
    bytes &&
    Buffer.from(bytes)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  return text
    ?.trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, '')));
}
