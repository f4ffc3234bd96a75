import type { App } from '@slack/bolt';
import type { Keep } from '../answers/apology.ts';
import { openBulkForm } from '../forms/open-sending-form.ts';
import { splitCommand, unwrapSlackText } from '../requests/command-text.ts';
import { type CommandHandler, createFirstHere, once } from '../requests/slack-request.ts';
import type { CommandWord } from '../ui/command-list.ts';
import { UNKNOWN_SLASH_COMMAND } from '../ui/help.ts';
import { COMMAND } from '../ui/ids.ts';
import { withWordsAndForm } from '../ui/prefill.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { helpCommand, unknownCommand } from './help.ts';
import { inWorkspace } from './in-workspace.ts';
import { approvalsCommand } from './limits/approvals.ts';
import { openLimits } from './limits/limits.ts';
import { optInCommand, optOutCommand, optOutsCommand } from './limits/opt-outs.ts';
import { balanceCommand } from './reports/balance.ts';
import { historyCommand } from './reports/history.ts';
import { statementCommand } from './reports/statement.ts';
import { statusCommand } from './reports/status.ts';
import { forChannel } from './setup/for-channel.ts';
import { openLinkForm } from './setup/link.ts';
import { openSettings } from './setup/settings.ts';
import { unlink } from './setup/unlink.ts';
import { sendCommand, typedWords } from './texts/send.ts';

/** `/sms WORD …`, by word. A new command begins here; `src/slack/ui/command-list.ts` says what it does. */
const HANDLERS: Record<CommandWord, CommandHandler> = {
  help: once(helpCommand),
  balance: balanceCommand,
  send: sendCommand,
  bulk: once(openBulkForm),
  link: once(forChannel(openLinkForm)),
  unlink: once(forChannel(unlink)),
  settings: once(forChannel(openSettings)),
  limits: once(forChannel(openLimits)),
  status: once(statusCommand),
  history: once(historyCommand),
  optout: once(optOutCommand),
  optin: once(optInCommand),
  optouts: once(optOutsCommand),
  approvals: once(approvalsCommand),
  statement: once(statementCommand),
};

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
    const keep: Keep | undefined =
      word === 'send' && rest !== '' ? (refusal) => withWordsAndForm(refusal, typedWords(rest)) : undefined;
    const asked = word === '' ? 'help' : word;
    const known = handlers.get(asked);
    const handler = known ?? once(unknownCommand);
    const arrival = {
      kind: 'command',
      // Unknown input may contain an API key: never log it.
      name: known ? asked : 'unknown',
      body: command,
      user: command.user_id,
      // In a shared channel the command names the workspace of the person who typed it.
      homeTeam: command.user_team_id ?? command.team_id,
      channel: command.channel_id,
      responseUrl: command.response_url,
      triggerId: command.trigger_id,
      keep,
    } as const;
    const inDirectMessage = command.channel_name === 'directmessage';
    await inWorkspace(workspaces, arrival, (deps, request) =>
      handler(deps, { ...request, inDirectMessage, word, rest }),
    );
  });
}
