import type { PageState } from 'slack-playground';
import { suggestedCommands } from '../src/slack/ui/commands.ts';

/** What the page offers while a command is typed. */
export const COMMANDS: PageState['commands'] = suggestedCommands();
