import type { z } from 'zod';
import { ActionProblem } from './action-problem.ts';
import type { Choice } from './elements.ts';
import { INVITE, invite } from './invite.ts';
import type { Shortcut } from './manifest.ts';
import type { ActionAnswer, BODIES, QUERIES } from './page-state.ts';
import { MAX_ATTACHED_BYTES } from './people-with-files.ts';
import { appTabs, canType, shortcutsFor } from './screen.ts';
import type { Playground } from './server.ts';
import type { Channel, User } from './types.ts';
import { seesChannel } from './workspace.ts';

type ByPerson<Given> = Omit<Given, 'as'> & { user: User };
/** The body of a post of the page, with the person instead of their id. */
export type As<Path extends keyof typeof BODIES> = ByPerson<z.output<(typeof BODIES)[Path]>>;
/** The same for a post with a file. */
type WithFile<Kind extends keyof typeof QUERIES> = ByPerson<z.output<(typeof QUERIES)[Kind]>> & {
  bytes: Uint8Array;
};

export interface PageActionsOptions {
  slack: Playground;
  /** The app's slash commands, such as /poll. */
  commands: readonly string[];
  /** Called after each command that somebody typed and the app acknowledged. */
  onCommand(user: User): void;
}

export const DONE: ActionAnswer = { ok: true };

/**
 * What people do on the page, as in Slack's client. Throws an ActionProblem for what the client would not offer. If the
 * app fails, the answer is the sentence that the client shows.
 */
export function createPageActions({ slack, commands, onCommand }: PageActionsOptions) {
  function needChannel(user: User, id: string): Channel {
    const channel = slack.channel(id);
    if (!channel) throw new ActionProblem('There is no such channel.');
    if (!canType(slack, user, channel)) throw new ActionProblem('You cannot write here.');
    return channel;
  }

  function needMessage(user: User, { channel, ts }: { channel: string; ts: string }) {
    const shown = [...slack.history(channel), ...slack.ephemerals(user.id)];
    const message = shown.find((one) => one.channel === channel && one.ts === ts);
    const place = slack.channel(channel);
    if (!message || !place || !seesChannel(user, place)) throw new ActionProblem('This message is gone.');
    return message;
  }

  function needShortcut(user: User, type: Shortcut['type'], id: string): void {
    const offered = shortcutsFor(slack, user);
    if (offered.some((one) => one.type === type && one.callback_id === id)) return;
    throw new ActionProblem('There is no such shortcut here.');
  }

  function needView(user: User, id: string): string {
    if (slack.view(id)?.user !== user.id) throw new ActionProblem('This form is closed.');
    return id;
  }

  return {
    async command({ user, channel: id, text }: As<'/act/command'>): Promise<ActionAnswer> {
      const channel = needChannel(user, id);
      const [, command = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
      if (command === INVITE.word) {
        invite(slack, { user, channel, text: rest });
        return DONE;
      }
      if (user.is_stranger || !commands.includes(command)) {
        throw new ActionProblem(`${command} is not a command that you have here.`);
      }
      const { toast } = await slack.command({ user, channel, command, text: rest });
      if (toast === null) onCommand(user);
      return answerOf(toast, `${command} failed`);
    },

    say({ user, channel, text }: As<'/act/say'>): ActionAnswer {
      slack.say({ user, channel: needChannel(user, channel), text });
      return DONE;
    },

    /** Posts a file without a text. */
    share({ user, channel, name, bytes }: WithFile<'share'>): ActionAnswer {
      if (bytes.byteLength > MAX_ATTACHED_BYTES)
        throw new ActionProblem(`${name} is too large: 10 MB at most.`);
      slack.say({ user, channel: needChannel(user, channel), text: '', files: [{ name, bytes }] });
      return DONE;
    },

    async shortcut({ user, callback_id, channel }: As<'/act/shortcut'>): Promise<ActionAnswer> {
      needShortcut(user, 'global', callback_id);
      const { toast } = await slack.shortcut({
        user,
        callback_id,
        ...(channel !== undefined && { channel }),
      });
      return answerOf(toast, 'The shortcut failed');
    },

    async messageShortcut(given: As<'/act/message-shortcut'>): Promise<ActionAnswer> {
      const { user, callback_id } = given;
      needShortcut(user, 'message', callback_id);
      const message = needMessage(user, given);
      if ('to' in message) throw new ActionProblem('There are no shortcuts on what only you see.');
      const { toast } = await slack.messageShortcut({ user, message, callback_id });
      return answerOf(toast, 'The shortcut failed');
    },

    /** Ignores whether the app acknowledges the event: Slack shows the person no error either. */
    async openApp({ user, tab }: As<'/act/open-app'>): Promise<ActionAnswer> {
      if (!appTabs(slack, user).includes(tab)) throw new ActionProblem('The app has no such tab.');
      await slack.openApp({ user, tab });
      return DONE;
    },

    async click({ user, channel, ts, value, ...target }: As<'/act/click'>): Promise<ActionAnswer> {
      const message = needMessage(user, { channel, ts });
      const { toast } = await usingElement(() => slack.click({ user, message, ...target, ...chosen(value) }));
      return answerOf(toast, 'That did not work');
    },

    async clickInView(given: As<'/act/view-click'>): Promise<ActionAnswer> {
      const { user, view, value, values, ...target } = given;
      needView(user, view);
      const { toast } = await usingElement(() => {
        slack.fill({ user, view, values: values as Record<string, Choice> });
        return slack.clickInView({ user, view, ...target, ...chosen(value) });
      });
      return answerOf(toast, 'That did not work');
    },

    async submit({ user, view, values }: As<'/act/submit'>): Promise<ActionAnswer> {
      needView(user, view);
      const { toast, outcome } = await usingElement(() =>
        slack.submitView({ user, view, values: values as Record<string, Choice> }),
      );
      // The page shows the app's errors at their fields.
      return outcome === 'trouble' ? answerOf(toast ?? 'trouble', 'The form was not taken') : DONE;
    },

    /** If Slack's client would not accept the file, the field says why. */
    async attach(given: WithFile<'attach'>): Promise<ActionAnswer> {
      needView(given.user, given.view);
      await usingElement(async () => slack.attachFile(given));
      return DONE;
    },

    async detach({ user, view, file, ...target }: As<'/act/detach'>): Promise<ActionAnswer> {
      needView(user, view);
      await usingElement(async () => slack.removeFile({ user, view, file, ...target }));
      return DONE;
    },

    /** Closing a form twice is no error. */
    async close({ user, view, all }: As<'/act/close'>): Promise<ActionAnswer> {
      if (slack.view(view)) await slack.closeView({ user, view: needView(user, view), all });
      return DONE;
    },
  };
}

function chosen(value: unknown): { value?: Choice } {
  return value === undefined ? {} : { value: value as Choice };
}

/** Throws an ActionProblem if the element or option is gone: the app has changed its message or form. */
async function usingElement<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw new ActionProblem('This has changed meanwhile: please look again.', { cause: error });
  }
}

const REASONS: { [toast: string]: string } = {
  dispatch_failed: 'the app did not respond.',
  operation_timeout: 'the app did not respond in time.',
};

/** The answer to the page. If `toast` says that something went wrong, it has a sentence: `what`, and why. */
function answerOf(toast: string | null, what: string): ActionAnswer {
  if (toast === null) return DONE;
  const reason = REASONS[toast] ?? `the app’s answer was not valid (${toast}).`;
  return { ok: false, problem: `${what} because ${reason}` };
}
