import type { App } from '@slack/bolt';
import { splitCommand, unwrapSlackText } from '../requests/command-text.ts';
import { type CommandHandler, createFirstHere, once } from '../requests/slack-request.ts';
import type { Message } from '../ui/blocks.ts';
import type { CommandWord } from '../ui/command-list.ts';
import { UNKNOWN_SLASH_COMMAND } from '../ui/help.ts';
import { COMMAND } from '../ui/ids.ts';
import { withWordsAndForm } from '../ui/prefill.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { forAdmins, inChannel, wordAlone } from './guards.ts';
import { helpCommand, unknownCommand } from './help.ts';
import { inWorkspace } from './in-workspace.ts';
import { approvalsCommand } from './limits/approvals.ts';
import { openLimits } from './limits/limits.ts';
import { optInCommand, optOutCommand, optOutsCommand } from './limits/opt-outs.ts';
import { bulkCommand } from './lists/typed-list.ts';
import { balanceCommand } from './reports/balance.ts';
import { historyCommand } from './reports/history.ts';
import { statementCommand } from './reports/statement.ts';
import { statusCommand } from './reports/status.ts';
import { openLinkForm } from './setup/link.ts';
import { openSettings } from './setup/settings.ts';
import { unlink } from './setup/unlink.ts';
import { sendCommand, typedWords } from './texts/send.ts';

/** `/sms WORD …`, by word. */
const HANDLERS: Record<CommandWord, CommandHandler> = {
  help: once(helpCommand),
  balance: inChannel(balanceCommand),
  send: sendCommand,
  bulk: once(bulkCommand),
  link: once(forSetup('link', openLinkForm)),
  unlink: once(forSetup('unlink', unlink)),
  settings: once(forSetup('settings', openSettings)),
  limits: once(forSetup('limits', openLimits)),
  status: once(inChannel(statusCommand)),
  history: once(historyCommand),
  optout: once(optOutCommand),
  optin: once(optInCommand),
  optouts: once(wordAlone(optOutsCommand)),
  approvals: once(wordAlone(approvalsCommand)),
  statement: once(wordAlone(forAdmins('statement', statementCommand))),
};

/** A command by which admins set up a channel. */
function forSetup(word: CommandWord, handler: CommandHandler): CommandHandler {
  return wordAlone(forAdmins(word, inChannel(handler)));
}

/** Registers one listener for all commands, as for clicks; also for one that the app's settings name differently. */
export function receiveCommands(app: App, workspaces: Workspaces): void {
  const handlers = new Map<string, CommandHandler>(Object.entries(HANDLERS));
  const isFirstHere = createFirstHere();
  app.command(/.*/, async ({ command, ack }) => {
    if (command.command !== COMMAND) {
      await ack(UNKNOWN_SLASH_COMMAND);
      workspaces.outside.log.info({ command: command.command }, 'an unknown command was typed');
      return;
    }
    await ack();
    if (!isFirstHere(command.trigger_id)) return;
    const { word, rest } = splitCommand(unwrapSlackText(command.text));
    // After any other word there may be an API key: never repeat it.
    const keep = (sorry: Message) =>
      word === 'send' && rest !== '' ? withWordsAndForm(sorry, typedWords(rest)) : sorry;
    const asked = word === '' ? 'help' : word;
    const known = handlers.get(asked);
    const handler = known ?? once(unknownCommand);
    // Unknown input may contain an API key: never log it.
    const arrival = { kind: 'command', name: known ? asked : 'unknown', keep } as const;
    // In a shared channel the command names the workspace of the person who typed it.
    const user = { id: command.user_id, team_id: command.user_team_id ?? command.team_id };
    const body = { ...command, user, channel: { id: command.channel_id, name: command.channel_name } };
    await inWorkspace(workspaces, arrival, body, (deps, request) =>
      handler(deps, { ...request, word, rest }),
    );
  });
}
