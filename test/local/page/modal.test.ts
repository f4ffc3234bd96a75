import { describe, expect, it } from 'vitest';
import { withoutBrowser } from '../../../packages/slack-playground/test/helpers/browser.ts';
import {
  ADMIN,
  ANA,
  opened,
  SALES,
  withViews,
} from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { type Visit, visitsOfTests } from '../../../packages/slack-playground/test/helpers/page-visit.ts';
import { replaceKeyForm } from '../../../src/slack/ui/setup/key-forms.ts';
import { linkForm } from '../../../src/slack/ui/setup/link-form.ts';
import { settingsForm } from '../../../src/slack/ui/setup/settings-form.ts';
import { loadingView } from '../../../src/slack/ui/views.ts';
import { aLink, anInstance } from '../../slack/ui/samples.ts';
import { SETTINGS } from '../helpers/product-samples.ts';

const instances = [{ id: 'i1', name: 'Acme', keyHint: '…0001' }];
const form = (fields: Partial<Parameters<typeof linkForm>[0]> = {}) =>
  linkForm({ instances: [], settings: SETTINGS, metadata: '{}', channel: SALES, ...fields });
const settings = () =>
  settingsForm(
    { link: aLink({ ...SETTINGS, linkedBy: ADMIN }), instance: anInstance({ name: 'Acme' }) },
    {
      refusals: { rule: { mode: 'unproven' }, shared: false },
      keepDays: { now: 30, most: 90 },
      metadata: '{}',
    },
  );
const focused = (visit: Visit) =>
  visit.page.evaluate(
    'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent',
  );

describe.skipIf(withoutBrowser)('modals on the page', () => {
  const { showing } = visitsOfTests();

  it('opens with the focus in its first field, and sends what a person fills in', async () => {
    const visit = await showing(opened(form({ settings: { ...SETTINGS, whoCanSend: 'chosen' } })));
    const { page, fixture } = visit;
    await page.getByRole('dialog', { name: 'Link a channel' }).waitFor();
    expect(await focused(visit)).toBe('API key');
    await page.getByLabel('Instance name').fill('Acme');
    await page.getByLabel('API key').fill('sandbox-key-acme-0001');
    await page.getByLabel('Low-credit threshold').fill('250');
    await page.getByLabel('Default country').selectOption('United Kingdom (GB)');
    await page.getByRole('group', { name: 'People' }).getByLabel('ana').check();
    await page.getByRole('checkbox', { name: 'Guests and people' }).check();
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.postsTo('/act/submit')).toEqual([
      {
        as: ADMIN,
        view: 'V0000000001',
        values: {
          instance_name: 'Acme',
          api_key: 'sandbox-key-acme-0001',
          threshold: '250',
          top_up_url: null,
          country: 'GB',
          who_can_send: 'chosen',
          people: [ANA],
          options: ['guests', 'receipt_line'],
        },
      },
    ]);
  });

  it('errors are at their fields, described and focused; the typed text stays', async () => {
    const visit = await showing(opened(form()));
    const { page, fixture } = visit;
    await page.getByLabel('Instance name').fill('Acme');
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    fixture.change(
      withViews([opened(form(), { errors: { api_key: 'The service does not know this key.' } })]),
    );
    await page.getByText('The service does not know this key.').waitFor();
    expect(await focused(visit)).toBe('API key');
    const key = page.getByLabel('API key');
    expect(await key.getAttribute('aria-invalid')).toBe('true');
    const described = await page.evaluate(
      'document.activeElement.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join(" | ")',
    );
    expect(described).toMatch(/^From your account settings .* \| The service does not know this key\.$/);
    expect(await page.getByLabel('Instance name').inputValue()).toBe('Acme');
    expect(
      await page.getByRole('button', { name: 'Link', exact: true }).getAttribute('aria-busy'),
    ).toBeNull();
  });

  it('a choice that acts at once is posted with all values; typed values survive the update, removed fields forget', async () => {
    const { page, fixture } = await showing(opened(form({ instances, selected: 'new' })));
    await page.getByLabel('Instance name').fill('Birch');
    await page.getByLabel('Low-credit threshold').fill('7');
    await page.getByLabel('Instance', { exact: true }).selectOption('Acme · …0001');
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.postsTo('/act/view-click')).toEqual([
      {
        as: ADMIN,
        view: 'V0000000001',
        block_id: 'instance',
        action_id: 'choose_instance',
        value: 'i1',
        values: expect.objectContaining({ instance: 'i1', instance_name: 'Birch', threshold: '7' }),
      },
    ]);
    fixture.change(withViews([opened(form({ instances, selected: 'i1' }))]));
    await page.getByLabel('Instance name').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Low-credit threshold').inputValue()).toBe('7');
    fixture.change(withViews([opened(form({ instances, selected: 'new' }))]));
    await page.getByLabel('Instance name').waitFor();
    expect(await page.getByLabel('Instance name').inputValue()).toBe('');
  });

  it('a loading view becomes the form', async () => {
    const visit = await showing(opened(loadingView('Link this channel')));
    const { page, fixture } = visit;
    await page.getByText('One moment, please …').waitFor();
    expect(await page.getByRole('button', { name: 'Link', exact: true }).count()).toBe(0);
    fixture.change(withViews([opened(form())]));
    await page.getByLabel('API key').waitFor();
    expect(await focused(visit)).toBe('API key');
  });

  it('if an update replaces a field by one with another id, the new one gets the focus', async () => {
    const key = (fields: object) =>
      opened(replaceKeyForm({ instance: { name: 'Acme', keyHint: '…0001' }, metadata: '{}', ...fields }));
    const visit = await showing(key({}));
    await visit.page.getByLabel('API key').fill('another-key');
    const otherAccount = { was: 'Acme Ltd', now: 'Birch & Co' };
    visit.fixture.change(withViews([key({ otherAccount, hash: 'again' })]));
    await visit.page.getByText('This key belongs to another account').waitFor();
    expect(await focused(visit)).toBe('API key');
    expect(await visit.page.getByLabel('API key').inputValue()).toBe('');
  });

  it('one on top of another: the lower one keeps its typed text', async () => {
    const lower = opened(settings(), { id: 'V1' });
    const upper = opened(replaceKeyForm({ instance: { name: 'Acme', keyHint: '…0001' }, metadata: '{}' }), {
      id: 'V2',
    });
    const { page, fixture } = await showing(lower);
    await page.getByLabel('Low-credit threshold').fill('5');
    fixture.change(withViews([lower, upper]));
    await page.getByText('on top of “Settings”').waitFor();
    await page.keyboard.press('Escape');
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.postsTo('/act/close')).toEqual([{ as: ADMIN, view: 'V2' }]);
    fixture.change(withViews([lower]));
    await page.getByText('on top of').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Low-credit threshold').inputValue()).toBe('5');
  });

  it('the cross closes all of them; the focus returns to its old element', async () => {
    const visit = await showing(opened(form()));
    const { page, fixture } = visit;
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await fixture.until((posts) => posts.length > 0);
    expect(fixture.postsTo('/act/close')).toEqual([{ as: ADMIN, view: 'V0000000001', all: true }]);
    fixture.change(withViews([]));
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.id')).toBe('composer-text');
  });

  it('a problem is said inside', async () => {
    const { page, fixture } = await showing(opened(form()));
    fixture.onPost(() => ({ ok: false, problem: 'The form was not taken because the app did not respond.' }));
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText('The form was not taken because the app did not respond.')
      .waitFor();
  });

  it('only its person sees a modal', async () => {
    const { page } = await showing(opened(form()));
    await page.evaluate(`sessionStorage.setItem('as', '${ANA}')`);
    await page.reload();
    await page.locator('.composer-who', { hasText: 'ana' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
