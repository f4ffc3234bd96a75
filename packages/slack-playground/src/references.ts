import { labelOf, type Spot, spotsOf } from './elements.ts';
import type { Block, Channel, Ephemeral, Message, User } from './types.ts';
import { seesChannel, type Workspace } from './workspace.ts';

/** A person, channel or view: its id, or the thing itself. */
export type Ref = string | { readonly id: string };

/** Which element to use. Exactly one element must fit all given fields. */
export interface Target {
  action_id?: string;
  block_id?: string;
  /** The element's visible words: a button's text, an input's label. */
  text?: string;
}

/** With `forged`, a person does what Slack's client would not let them do. */
export interface Forgery {
  forged?: boolean;
}

export const idOf = (ref: Ref): string => (typeof ref === 'string' ? ref : ref.id);

/** The user. Throws if there is none. */
export function needUser(workspace: Workspace, ref: Ref): User {
  const user = workspace.user(idOf(ref));
  if (!user) throw new Error(`There is no user ${idOf(ref)}.`);
  return user;
}

/** The channel. Throws if there is none. */
export function needChannel(workspace: Workspace, ref: Ref): Channel {
  const channel = workspace.channel(idOf(ref));
  if (!channel) throw new Error(`There is no channel ${idOf(ref)}.`);
  return channel;
}

/** Throws if the person does not see the message, or if the message has changed since. */
export function needSeen(workspace: Workspace, user: User, message: Message | Ephemeral): void {
  const sees =
    'to' in message ? message.to === user.id : seesChannel(user, needChannel(workspace, message.channel));
  if (workspace.current(message) !== message || !sees)
    throw new Error(`${user.name} does not see this message as it is.`);
}

/** The element that fits. Throws an error that lists the elements, unless exactly one fits. */
export function findSpot(blocks: readonly Block[], { action_id, block_id, text }: Target): Spot {
  const spots = spotsOf(blocks);
  const fitting = spots
    .filter((spot) => action_id === undefined || spot.element.action_id === action_id)
    .filter((spot) => block_id === undefined || spot.block.block_id === block_id)
    .filter((spot) => text === undefined || labelOf(spot) === text);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const there = spots.map((spot) => `${spot.element.action_id} "${labelOf(spot)}"`).join(', ') || 'none';
  const wanted = JSON.stringify({ action_id, block_id, text });
  throw new Error(
    `${fitting.length === 0 ? 'No element fits' : 'More than one element fits'} ${wanted}: ${there}.`,
  );
}
