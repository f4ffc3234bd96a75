import type { PageState } from 'slack-playground';

/** What the page offers while a command is typed: the bot's commands, the ones for everybody first. */
export const COMMANDS: PageState['commands'] = [
  {
    word: '/sms send',
    hint: '<number> <text>',
    description: 'Send a text: you see what it costs, and decide',
  },
  { word: '/sms bulk', hint: '', description: 'Text a whole list, pasted or from a CSV file' },
  { word: '/sms balance', hint: '', description: 'See the credits that are left' },
  { word: '/sms status', hint: '', description: 'See what this channel is linked to, and how it is doing' },
  { word: '/sms link', hint: '', description: 'Admins: link this channel to an instance' },
  { word: '/sms settings', hint: '', description: 'Admins: threshold, who can send, replace the key' },
  { word: '/sms unlink', hint: '', description: 'Admins: no more texts from this channel' },
  { word: '/sms help', hint: '', description: 'See what there is' },
];
