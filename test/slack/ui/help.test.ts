import { describe, expect, test } from 'vitest';
import type { Link } from '../../../src/core/accounts/links.ts';
import { notLinked } from '../../../src/slack/ui/access-refusals.ts';
import {
  COMMANDS,
  commandsFor,
  type HelpContext,
  suggestedCommands,
} from '../../../src/slack/ui/command-list.ts';
import { helpMessage } from '../../../src/slack/ui/help.ts';
import { buttonOf, expectFine, labelsOf } from './samples.ts';

describe('help', () => {
  const toAdmins = notLinked({ isAdmin: true, admins: ['UADMIN'] });
  const toMembers = notLinked({ isAdmin: false, admins: ['UADMIN'] });

  test('asks whether a known word was meant', () => {
    const { text } = helpMessage({
      isAdmin: false,
      unknownWord: 'blance',
      suggestion: 'balance',
    });
    expect(text).toContain('There is no `/sms blance`. Did you mean `/sms balance`?');
  });

  test('keeps a number and a text that were typed without the right word', () => {
    const given = { recipient: '+44 20 7946 0958', message: 'Hello' };
    const message = helpMessage({
      isAdmin: false,
      unknownWord: 'sned',
      suggestion: 'send',
      given,
    });
    expect(message.text).toContain('Did you mean `/sms send`?\n*Write a text* has your words.');
    expect(JSON.parse(String(buttonOf(message, 'Write a text')?.value))).toEqual(given);
  });

  test('offers an admin the link first where there is none', () => {
    const unlinked = { notLinked: toAdmins, isAdmin: true };
    const { text } = helpMessage(unlinked);
    expect(text.indexOf('not linked yet')).toBeLessThan(text.indexOf('`/sms send`'));
    expect(labelsOf(helpMessage(unlinked))).toEqual(['Link this channel', 'Write a text', 'Text a list']);
  });

  test('repeats nothing that might be a key', () => {
    const { text } = helpMessage({ isAdmin: true, unknownWord: 'k-51f0a9c3e7d24b86' });
    expect(text).not.toContain('51f0');
  });

  const ALL = [...new Set(COMMANDS.map(({ word }) => word))];
  const link = { linkedBy: 'UADMIN', people: [] } as unknown as Link;

  test.each([
    ['an admin of a linked channel', { isAdmin: true }, ALL],
    [
      'a member of a linked channel',
      { isAdmin: false },
      ['send', 'bulk', 'balance', 'status', 'history', 'optout', 'optin', 'optouts', 'approvals'],
    ],
    [
      'an admin, in a channel without a link',
      { notLinked: toAdmins, isAdmin: true },
      ['send', 'bulk', 'history', 'approvals', 'statement', 'link'],
    ],
    [
      'a member, in a channel without a link',
      { notLinked: toMembers, isAdmin: false },
      ['send', 'bulk', 'approvals'],
    ],
    [
      'an admin, in a direct message',
      { notLinked: toAdmins, isAdmin: true, inDirectMessage: true },
      ['send', 'bulk', 'history', 'approvals'],
    ],
    ['a guest', { isAdmin: false, refusal: { why: 'guest', link } }, []],
  ] as [string, HelpContext, string[]][])(
    'lists what %s may do here, and nothing else',
    (_who, standing, words) => {
      const lines = helpMessage(standing).text.split('\n');
      const listed = ALL.filter((word) => lines.some((line) => line.startsWith(`\`/sms ${word}`)));
      expect(listed).toEqual(words);
      expect([...new Set(commandsFor(standing).map(({ word }) => word))]).toEqual(words);
    },
  );

  test.each<[string, Partial<HelpContext> & { message?: string }]>([
    ['to somebody who may not send here', { refusal: { why: 'guest', link } }],
    ['if the text is too long for a button', { message: '"'.repeat(1500) }],
  ])('promises nobody their words %s', (_when, { message = 'Hello', ...standing }) => {
    const given = { recipient: '+44 20 7946 0958', message };
    const help = helpMessage({ isAdmin: false, unknownWord: 'sned', given, ...standing });
    expect(help.text).not.toContain('has your words');
  });

  test('Slack can suggest every command once, those of admins marked', () => {
    const suggested = suggestedCommands();
    expect(suggested.map(({ word }) => word)).toEqual([...ALL, 'help'].map((word) => `/sms ${word}`));
    expect(suggested[0]).toMatchObject({ hint: '<number> <text>', for: 'staff' });
    expect(suggested.filter((each) => each.for === 'admins').map(({ word }) => word)).toEqual([
      '/sms statement',
      '/sms link',
      '/sms settings',
      '/sms limits',
      '/sms unlink',
    ]);
  });

  test('says to people who may not send why, and who can change that', () => {
    const message = helpMessage({ isAdmin: false, refusal: { why: 'guest', link } });
    expectFine(message);
    expect(message.text).toContain('Guests cannot send texts from this channel.\nPlease ask <@UADMIN>');
    expect(labelsOf(message)).toEqual([]);
    expect(helpMessage({ notLinked: toMembers, isAdmin: false }).text).toContain(
      'Please ask <@UADMIN> or another admin to type `/sms link`',
    );
  });

  test('offers admins what admins do', () => {
    expect(labelsOf(helpMessage({ isAdmin: false }))).toEqual([
      'Write a text',
      'Text a list',
      'Show balance',
    ]);
    expect(labelsOf(helpMessage({ isAdmin: true }))).toContain('Settings');
    expect(labelsOf(helpMessage({ notLinked: toAdmins, isAdmin: true }))).toContain('Link this channel');
    expect(labelsOf(helpMessage({ notLinked: toMembers, isAdmin: false }))).toEqual([
      'Write a text',
      'Text a list',
    ]);
    expect(helpMessage({ isAdmin: false }).text).not.toContain('/sms link');
  });
});
