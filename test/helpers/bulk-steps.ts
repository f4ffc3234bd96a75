import { type Choice, type Ephemeral, type Message, type OpenView, type Ref, textOf } from 'slack-playground';
import type { World } from './world.ts';
import { eventually, openModal, type Where } from './world-steps.ts';

/** Types `/sms bulk`, and resolves to the form. */
export function openListForm(
  { slack }: World,
  { user = slack.people.member, channel = slack.channels.sales }: Where = {},
): Promise<OpenView> {
  return openModal(slack, { user, channel, text: 'bulk' });
}

/** Submits the form as it is now, with the given file if there is one. */
export function submitList(
  { slack }: World,
  view: OpenView,
  values: Record<string, Choice>,
  { user = slack.people.member, file }: { user?: Ref; file?: { name: string; bytes: string } } = {},
) {
  const now = slack.view(view.view.id) ?? view;
  if (file) slack.attachFile({ user, view: now, text: 'CSV file', ...file });
  return slack.submitView({ user, view: now, values });
}

/** The problems of a submission: at its fields, or in the form again if the check took long. */
export async function wrongIn(
  { slack }: World,
  { view: { id } }: OpenView,
  done: { outcome: string; errors?: Record<string, string> },
): Promise<string> {
  if (done.outcome !== 'updated') return Object.values(done.errors ?? {}).join(' ');
  return eventually(() => {
    const now = slack.view(id);
    return now && !textOf(now).includes('Checking') && textOf(now);
  });
}

/** The person's newest message that matches. */
export function shownTo(
  { slack }: World,
  { id }: { id: string },
  words: string | RegExp,
): Promise<Ephemeral> {
  return eventually(() => slack.ephemerals(id).findLast((one) => fits(one, words)));
}

/** The channel's newest card that matches. */
export function cardIn({ slack }: World, words: string | RegExp, ms = 40_000): Promise<Message> {
  return eventually(() => slack.history(slack.channels.sales.id).findLast((one) => fits(one, words)), ms);
}

function fits(message: Message | Ephemeral, words: string | RegExp): boolean {
  const text = textOf(message);
  return typeof words === 'string' ? text.includes(words) : words.test(text);
}

/** Drafts a list from the form to its preview, with pasted recipients or a file. */
export async function draftJob(
  world: World,
  list: { pasted: string } | { name: string; bytes: string },
  message: string,
): Promise<Ephemeral> {
  const form = await openListForm(world);
  const done =
    'pasted' in list
      ? await submitList(world, form, { Recipients: list.pasted, Message: message })
      : await submitList(world, form, { Message: message }, { file: list });
  // A long check goes on behind a view. The preview comes in any case.
  if (!['closed', 'updated'].includes(done.outcome))
    throw new Error(`no preview: ${done.outcome} ${JSON.stringify(done.errors)}`);
  return shownTo(world, world.slack.people.member, 'Your list to');
}

/** The files that a person got from the bot, oldest first, as text. */
export function filesOf(
  { slack }: Pick<World, 'slack'>,
  { id }: { id: string },
): { name: string; text: string }[] {
  return slack
    .history(slack.directMessage(id).id)
    .flatMap(({ files = [] }) => files)
    .map((file) => ({ name: file.name, text: Buffer.from(slack.fileBytes(file.id) ?? []).toString() }));
}
