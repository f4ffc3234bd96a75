import type { ModalView, StaticSelect } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import { MESSAGE_MAX } from '../../../src/core/texts/message-text.ts';
import { isCountry } from '../../../src/core/texts/phone.ts';
import { ACTIONS, FIELDS, NEW_INSTANCE, NO_COUNTRY, VIEWS } from '../../../src/slack/ui/ids.ts';
import { bulkForm } from '../../../src/slack/ui/lists/bulk-form.ts';
import { countryGroups } from '../../../src/slack/ui/setup/countries.ts';
import { instanceInUse, removeInstanceForm, replaceKeyForm } from '../../../src/slack/ui/setup/key-forms.ts';
import { linkForm } from '../../../src/slack/ui/setup/link-form.ts';
import { withPeople } from '../../../src/slack/ui/setup/link-form-fields.ts';
import { settingsForm } from '../../../src/slack/ui/setup/settings-form.ts';
import { sendForm } from '../../../src/slack/ui/texts/send-form.ts';
import { noticeView, TITLES } from '../../../src/slack/ui/views.ts';
import { aLink, anInstance, expectFineView, fieldOf, labelsOf } from './samples.ts';

const metadata = '{"channel":"C1"}';
const settings = DEFAULT_SETTINGS;
const instances = [{ id: 'i1', name: 'Sales', keyHint: '…a1b2' }];
const labels = (view: Parameters<typeof fieldOf>[0]) =>
  view.blocks.flatMap((block) => ('label' in block ? [(block.label as { text: string }).text] : []));

describe('the send form', () => {
  test('is what its labels say, and keeps its metadata', () => {
    const view = sendForm({ metadata, recipient: '+44 20', message: 'a\nb' });
    expect(view).toMatchObject({
      callback_id: VIEWS.sendForm,
      private_metadata: metadata,
      title: { text: 'Write a text' },
      submit: { text: 'Preview' },
    });
    expect(labels(view)).toEqual(['Recipient', 'Message']);
    expect(fieldOf(view, FIELDS.recipient)?.element).toMatchObject({ initial_value: '+44 20' });
    expect(fieldOf(view, FIELDS.message)?.element).toMatchObject({ initial_value: 'a\nb' });
  });

  test('leaves it to us to say that a text is too long', () => {
    const view = sendForm({ metadata });
    expect(fieldOf(view, FIELDS.message)?.element).toMatchObject({ max_length: 3000 });
    expect(MESSAGE_MAX).toBe(1000);
    expect(fieldOf(view, FIELDS.message)?.hint).toMatchObject({
      text: expect.stringContaining('At most 1,000 characters'),
    });
  });

  test('drops a prefill that does not fit rather than cut it', () => {
    const view = sendForm({ metadata, message: 'x'.repeat(3001) });
    expect(fieldOf(view, FIELDS.message)?.element).not.toHaveProperty('initial_value');
  });

  test('asks for the channel if there is a choice', () => {
    const view = sendForm({
      metadata,
      channels: [
        { id: 'C1', name: 'sales' },
        { id: 'C2', name: 'ops' },
      ],
    });
    expect(fieldOf(view, FIELDS.channel)?.element).toMatchObject({
      options: [
        { value: 'C1', text: { text: '#sales' } },
        { value: 'C2', text: { text: '#ops' } },
      ],
    });
  });
});

describe('the menu of channels', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `C${index}`, name: `shop-${index}` }));

  const optionsOf = (view: ModalView) => {
    const { element } = (fieldOf(view, FIELDS.channel) ?? expect.unreachable()) as { element: StaticSelect };
    return element.options ?? (element.option_groups ?? []).flatMap(({ options }) => options);
  };
  const ids = (count: number) => many(count).map(({ id }) => id);

  test('holds a hundred, and more in groups, each named by its first channel', () => {
    const held = sendForm({ metadata, channels: many(100) });
    expect(fieldOf(held, FIELDS.channel)?.element).toHaveProperty('options');
    expectFineView(held);
    const view = sendForm({ metadata, channels: many(101) });
    expect(fieldOf(view, FIELDS.channel)?.element).toMatchObject({
      type: 'static_select',
      option_groups: [{ label: { text: 'From #shop-0' } }, { label: { text: 'From #shop-100' } }],
    });
    expect(optionsOf(view).map(({ value }) => value)).toEqual(ids(101));
    expectFineView(view);
  });

  test('has a thousand channels at most, and Slack takes it with the longest names and words', () => {
    const channels = many(1001).map(({ id }) => ({ id: id.padEnd(11, 'X'), name: 'ü'.repeat(80) }));
    const message = '\n'.repeat(3000);
    const view = bulkForm({ metadata, channels, recipients: message, message });
    expect(optionsOf(view)).toHaveLength(1000);
    expectFineView(view);
  });
});

describe('the link form', () => {
  const channel = 'C1';

  test('says which channel it is about', () => {
    expect(JSON.stringify(linkForm({ channel, instances, settings, metadata }).blocks)).toContain('<#C1>');
  });

  test('with no instance yet asks for a key, and for a name that may stay empty', () => {
    const view = linkForm({ channel, instances: [], settings, metadata });
    expect(labels(view)).toEqual([
      'API key',
      'Instance name',
      'Low-credit threshold',
      'Top-up link',
      'Default country',
      'Who can send',
      'In this channel',
    ]);
    expect(fieldOf(view, FIELDS.apiKey)).not.toHaveProperty('optional');
    expect(fieldOf(view, FIELDS.instanceName)).toMatchObject({ optional: true });
    expect(fieldOf(view, FIELDS.threshold)?.element).toMatchObject({ initial_value: '100' });
    expect(fieldOf(view, FIELDS.country)?.element).not.toHaveProperty('initial_option');
    expect(fieldOf(view, FIELDS.whoCanSend)?.element).toMatchObject({
      initial_option: { value: 'everyone', text: { text: 'Everyone in this channel' } },
    });
  });

  test('with a known instance asks for no key, and changes as another one is chosen', () => {
    const view = linkForm({ channel, instances, selected: 'i1', settings, metadata });
    expect(labels(view)).toContain('Instance');
    expect(labels(view)).not.toContain('API key');
    expect(fieldOf(view, FIELDS.instance)).toMatchObject({
      dispatch_action: true,
      element: { action_id: ACTIONS.chooseInstance, initial_option: { value: 'i1' } },
    });
    expect(labels(linkForm({ channel, instances, selected: NEW_INSTANCE, settings, metadata }))).toContain(
      'API key',
    );
  });

  test('says why it comes again, with the name kept and the key field empty', () => {
    const view = linkForm({
      channel,
      instances,
      selected: NEW_INSTANCE,
      settings,
      metadata,
      nameValue: 'Ops',
      notice: 'The service does not know this key.',
    });
    expect(JSON.stringify(view.blocks)).toContain('The service does not know this key.');
    expect(fieldOf(view, FIELDS.instanceName)?.element).toMatchObject({ initial_value: 'Ops' });
    expect(fieldOf(view, FIELDS.apiKey)?.element).not.toHaveProperty('initial_value');
  });

  test('offers every country once, by name, and none', () => {
    const offered = countryGroups().flatMap(({ options }) => options.map(({ value }) => String(value)));
    expect(offered[0]).toBe(NO_COUNTRY);
    expect(new Set(offered).size).toBe(offered.length);
    expect(offered.slice(1).every(isCountry)).toBe(true);
    expect(offered.length).toBeGreaterThan(240);
    for (const code of ['GB', 'DE', 'AX', 'CI', 'ST', 'US', 'ZW']) expect(offered).toContain(code);
  });
});

describe('the settings', () => {
  const link = aLink({
    threshold: 0,
    country: 'DE',
    whoCanSend: 'chosen',
    people: ['U1'],
    guests: true,
    receiptLine: false,
  });
  const refusals = { rule: { mode: 'unproven' as const }, shared: false };
  const view = settingsForm(
    { link, instance: anInstance() },
    { refusals, keepDays: { now: 30, most: 90 }, metadata },
  );

  test('show what is saved', () => {
    expect(fieldOf(view, FIELDS.threshold)?.element).toMatchObject({ initial_value: '0' });
    expect(fieldOf(view, FIELDS.country)?.element).toMatchObject({ initial_option: { value: 'DE' } });
    expect(fieldOf(view, FIELDS.whoCanSend)?.element).toMatchObject({ initial_option: { value: 'chosen' } });
    expect(fieldOf(view, FIELDS.people)?.element).toMatchObject({ initial_users: ['U1'] });
    expect(fieldOf(view, FIELDS.options)?.element).toMatchObject({ initial_options: [{ value: 'guests' }] });
  });

  test('show people only with “Chosen people”, below it', () => {
    const everybody = withPeople(view.blocks, 'everyone');
    expect(labels({ ...view, blocks: everybody })).not.toContain('People');
    const chosen = withPeople(everybody, 'chosen');
    const ids = chosen.map(({ block_id }) => block_id);
    expect(ids.indexOf(FIELDS.people)).toBe(ids.indexOf(FIELDS.whoCanSend) + 1);
    expect(withPeople(chosen, 'admins')).toEqual(everybody);
    expectFineView({ ...view, blocks: chosen });
    expect(fieldOf(view, FIELDS.whoCanSend)).toMatchObject({
      dispatch_action: true,
      element: { action_id: ACTIONS.chooseWhoCanSend },
    });
  });

  test('have no key field but a way to replace it', () => {
    expect(fieldOf(view, FIELDS.apiKey)).toBeUndefined();
    expect(labelsOf(view)).toEqual([
      'Replace key',
      'Limits',
      'How does my provider refuse?',
      'Remove instance',
      'Save',
    ]);
    expect(JSON.stringify(view)).toContain('<@UADMIN>');
  });
});

describe('a key', () => {
  test('that belongs to another account has to be accepted, and typed again', () => {
    const view = replaceKeyForm({
      instance: { name: 'Sales', keyHint: '…a1b2' },
      otherAccount: { was: 'Acme', now: 'Other' },
      metadata,
    });
    expect(JSON.stringify(view.blocks)).toMatch(/“Other”. So far “Acme” pays/);
    expect(fieldOf(view, FIELDS.acceptAccount)).toBeDefined();
    expect(fieldOf(view, FIELDS.apiKey)?.element).not.toHaveProperty('initial_value');
    const first = replaceKeyForm({ instance: { name: 'Sales', keyHint: '…a1b2' }, metadata });
    expect(fieldOf(first, FIELDS.acceptAccount)).toBeUndefined();
  });

  test('stays while channels are linked to its instance', () => {
    const form = { instance: { name: 'Sales', keyHint: '…a1b2' }, metadata };
    expect(removeInstanceForm({ ...form, channels: [] }).submit).toBeDefined();
    const linked = removeInstanceForm({ ...form, channels: ['C7'] });
    expect(linked.submit).toBeUndefined();
    expect(JSON.stringify(linked)).toContain('<#C7>');
  });

  test('stays while texts or lists by it are under way: a paused list never ends by itself', () => {
    const words = (sends: number) => instanceInUse('Sales', [], sends);
    expect(words(1)).toContain(
      '1 text or list is still under way. Wait until it has ended. Then try again.\nA paused list',
    );
    expect(words(2)).toContain(
      '2 texts or lists are still under way. Wait until they have ended. Then try again.\nA paused list',
    );
  });
});

test('every title fits a modal', () => {
  for (const title of Object.values(TITLES)) expect(title.length).toBeLessThanOrEqual(24);
});

test('a view that only says something can only be closed', () => {
  const view = noticeView('Checking the key, which takes long', 'One moment');
  expect(view.submit).toBeUndefined();
  expect(view.title.text).toHaveLength(24);
  expect(view.callback_id).toBe(VIEWS.notice);
});
