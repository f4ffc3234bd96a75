import type { KnownBlock } from '@slack/types';
import { button, header, section } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { formButton } from '../prefill.ts';
import { quoted } from '../safe-text.ts';
import type { InstanceFacts } from './home-admin.ts';

/** An admin's first three steps, while no channel is linked. */
export function checklist([first]: readonly Pick<InstanceFacts, 'name'>[]): KnownBlock[] {
  return [
    header('Three steps to your first text'),
    section(
      first
        ? `✅ *1. Add a key* · ${quoted(first.name)} is there.`
        : '*1. Add a key*\nThe API key of your messaging instance. Its credits pay for the texts.',
      button(ACTIONS.addKey, 'Add a key', undefined, first ? undefined : 'primary'),
    ),
    section(
      '*2. Link a channel*\nPeople in it can then send texts. Invite the bot there first.',
      button(ACTIONS.linkSomeChannel, 'Link a channel', undefined, first ? 'primary' : undefined),
    ),
    section(
      '*3. Send a test text*\nTo your own phone. You see the cost before you decide.',
      formButton('Write a text'),
    ),
  ];
}
