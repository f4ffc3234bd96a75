import type { PageState } from 'slack-playground';
import { suggestedCommands } from '../src/slack/ui/command-list.ts';

/** What the page offers while a command is typed. */
export const COMMANDS: PageState['commands'] = suggestedCommands();
